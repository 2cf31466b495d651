import type { Task } from '../api/types.ts';
import { StateBadge } from '../parts/state-badge.tsx';

export function TaskList({ tasks }: { tasks: readonly Task[] }) {
  return (
    <ul className="tasks">
      {tasks.map(({ id, subject, state, owner, isBlocked, blockedBy }) => (
        <li key={id}>
          <StateBadge state={state} /> <span className={state === 'completed' ? 'done' : ''}>{subject}</span>
          {owner === undefined ? null : <span className="quiet-text"> · {owner}</span>}
          {isBlocked ? <span className="quiet-text"> · after {blockedBy.join(', ')}</span> : null}
        </li>
      ))}
    </ul>
  );
}
