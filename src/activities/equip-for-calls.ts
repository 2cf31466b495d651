import { setTimeout as delay } from 'node:timers/promises';
import type { Agent } from '../agents/agent.ts';
import { isSettled } from '../core/next-action.ts';
import type { CallRecord } from '../store/call-store.ts';
import type { SessionRecord } from '../store/store.ts';
import type { ActivityDeps } from './deps.ts';
import { equip, type EquippedAgent } from './equip.ts';

/** Longer than a server may take to start by default, and shorter than what an activity has beyond the time limit of its tools. */
const patienceMs = 45_000;
const pauseMs = 500;

/**
 * Equips the agent for calls that may run: where the tool of one is missing and a source does not say what it has, as a server that starts
 * slowly, the source is asked again for a while. Beats the heart meanwhile, or be taken for dead.
 */
export async function equipForCalls(
  deps: ActivityDeps,
  agent: Agent,
  session: SessionRecord,
  { calls, signal }: { calls: readonly CallRecord[]; signal: AbortSignal },
): Promise<EquippedAgent> {
  const until = performance.now() + patienceMs;
  for (;;) {
    const equipped = await equip(deps, agent, session.ref, { session });
    const isWhole = calls.every((call) => isSettled(call) || equipped.toolByName.has(call.name));
    if (isWhole || equipped.silentSources.length === 0 || performance.now() > until) return equipped;
    await delay(pauseMs, undefined, { signal });
  }
}

/** Why a call that may run has no tool. */
export function whyToolIsGone({ silentSources }: EquippedAgent, name: string): string {
  if (silentSources.length === 0) return `the tool ${name} is not part of the agent any more`;
  return `the tool ${name} is not there now, and ${silentSources.join(', ')} can't be asked for it`;
}
