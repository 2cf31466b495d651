import { useMemo } from 'react';
import type { AgentEvent } from '../../schema/event.ts';
import { StateBadge } from '../parts/state-badge.tsx';
import { Link, sessionHref } from '../parts/router.tsx';

type Task = Extract<AgentEvent, { kind: 'background_task' }>;

/** Calls that went on in the background: what each has come to, and where it works. */
export function Background({ facts }: { facts: readonly AgentEvent[] }) {
  const tasks = useMemo(() => newestByCall(facts), [facts]);
  if (tasks.length === 0) return null;
  return (
    <section aria-labelledby="background" className="panel">
      <h2 id="background">In the background</h2>
      <ul className="plain">
        {tasks.map(({ callId, name, state, taskSessionId }) => (
          <li key={callId}>
            {taskSessionId === undefined ? name : <Link href={sessionHref(taskSessionId)}>{name}</Link>}{' '}
            <StateBadge state={state} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function newestByCall(facts: readonly AgentEvent[]): Task[] {
  const tasks = new Map<string, Task>();
  for (const event of facts)
    if (event.kind === 'background_task' && !event.path) tasks.set(event.callId, event);
  return [...tasks.values()];
}
