import type { CleanUpInput } from '../contracts/clean-up.ts';
import type { ActivityDeps } from './deps.ts';
import { waitingForStore } from './sessions.ts';

/** Lets all sources of an erased session's agent remove what they keep for it: its folder, its connections. */
export async function removeKept(deps: ActivityDeps, { ref, agent }: CleanUpInput): Promise<void> {
  const { sources, toolGroups } = deps.agents.get(agent);
  const all = [
    ...sources,
    ...Object.values(toolGroups).flatMap((group) => group.sources ?? []),
    ...(deps.sources ?? []),
  ];
  await waitingForStore(async () => {
    // What is there now belongs to a new session of that id.
    if (await deps.store.sessions.get(ref)) return;
    for (const source of all) await source.remove?.(ref, { worker: deps.worker });
  });
}
