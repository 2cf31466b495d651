import { useSubmit } from '../gates/use-submit.ts';
import { SubmitError } from '../gates/submit-error.tsx';
import { connection } from '../api/connection.ts';
import { pathOfSession } from '../api/queries.ts';
import type { SessionView } from '../api/types.ts';
import { StateBadge } from '../parts/state-badge.tsx';
import { Link, sessionHref } from '../parts/router.tsx';

type Task = SessionView['background'][number];

/** Calls that went on in the background: what each has come to, and where it works. The newest first. */
export function Background({ sessionId, tasks }: { sessionId: string; tasks: readonly Task[] }) {
  const submit = useSubmit();
  const stop = async ({ taskId }: Task): Promise<void> => {
    const path = `${pathOfSession(sessionId)}/tasks/${encodeURIComponent(taskId)}/cancel`;
    await connection.json(path, { method: 'POST', body: { reason: 'by the admin page' } });
  };
  return (
    <>
      <ul className="plain background">
        {tasks.toReversed().map((task) => (
          <li key={task.taskId}>
            {task.taskSessionId === undefined ? (
              <code>{task.name}</code>
            ) : (
              <Link href={sessionHref(task.taskSessionId)}>{task.name}</Link>
            )}{' '}
            <StateBadge state={task.state} />
            {task.state === 'running' ? (
              <button
                type="button"
                className="quiet"
                disabled={submit.isBusy}
                onClick={() => submit.run(() => stop(task))}
              >
                Stop<span className="unseen"> {task.name}</span>
              </button>
            ) : null}
          </li>
        ))}
      </ul>
      <SubmitError error={submit.error} />
    </>
  );
}
