import { setTimeout as sleep } from 'node:timers/promises';
import { WithStartWorkflowOperation, WorkflowUpdateFailedError, type Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { failure } from '../contracts/failures.ts';
import type { SessionRef } from '../contracts/ids.ts';
import type { InboxAnswer, InboxMessage } from '../contracts/inbox.ts';
import { teamMessageUpdate } from '../contracts/messages.ts';
import type { Store } from '../store/store.ts';
import { InboxError, type InboxErrorCode } from './inbox-error.ts';
import { isWorkflowOpen } from './is-open.ts';
import { hasRunner, runnerOf } from './reach.ts';
import { seal } from './seal.ts';
import { sessionStart } from './session-start.ts';
import { isLate, isPassing } from './temporal-failures.ts';

/** How long the session's answer is waited for: without a worker there is none. */
const answerMs = 30_000;
const attempts = 6;

/** What a delivery works with. In an activity: `Context.current().client`, and the task queue of its `info`. */
export interface Courier {
  temporal: Client;
  store: Pick<Store, 'sessions' | 'blobs' | 'slots'>;
  taskQueue: string;
}

export interface Delivery {
  /** Whose message it is: it reaches only sessions of this owner. */
  owner: string;
  to: SessionRef;
  /** Its text may be long. */
  message: InboxMessage;
}

/**
 * Puts a message into a session's inbox, and wakes the session when it is idle. Resolves when the message is there: then it can't be lost,
 * and of two messages of one sender that waits for the first, the first is read first. A repeat under the same id does nothing.
 *
 * @throws InboxError `not_found` when the owner has no such session, `closed` when it takes in no messages, ever, `refused` when the message is malformed, `full` when its inbox is, or another workflow runs its turns now,
 * `no_worker`, `unavailable`.
 */
export async function deliver(courier: Courier, { owner, to, message }: Delivery): Promise<InboxAnswer> {
  const { store, temporal } = courier;
  const session = to.owner === owner ? await store.sessions.get(to) : undefined;
  if (!session) throw new InboxError('not_found', `there is no session ${to.sessionId} of ${owner}`);
  if (session.lineage?.kind === 'subagent')
    throw new InboxError(
      'closed',
      `session ${to.sessionId} is a subagent's: write to ${session.lineage.parent}, which it works for`,
    );
  const runner = await runnerOf(store, to);
  if (runner !== undefined && (await isWorkflowOpen(temporal, runner)))
    throw new InboxError('full', hasRunner(to, runner));
  const letter = await seal(store, to, message);
  const deadline = Date.now() + answerMs;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await temporal.connection.withDeadline(deadline, () =>
        temporal.workflow.executeUpdateWithStart(teamMessageUpdate, {
          args: [letter],
          startWorkflowOperation: new WithStartWorkflowOperation('agentSession', {
            ...sessionStart(to, { agent: session.agent, taskQueue: courier.taskQueue, mustExist: true }),
            workflowIdConflictPolicy: 'USE_EXISTING',
          }),
        }),
      );
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal) throw refusal;
      if (!(await store.sessions.get(to)))
        throw new InboxError('not_found', `session ${to.sessionId} was erased`);
      if (!isRace(error) || attempt >= attempts) throw undelivered(error, to);
      await sleep(20 * 2 ** attempt);
    }
  }
}

const refusals = new Map<string, InboxErrorCode>([
  [failure.rejected, 'refused'],
  [failure.ended, 'closed'],
  [failure.full, 'full'],
]);

/** What the session itself answered. */
function refusalOf(error: unknown): InboxError | undefined {
  const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
  if (!(cause instanceof ApplicationFailure)) return undefined;
  const code = refusals.get(cause.type ?? '');
  return code && new InboxError(code, cause.message, { cause: error });
}

/** The run that took the update in ended before it answered: another one will take it. */
function isRace(error: unknown): boolean {
  return isPassing(error) || error instanceof WorkflowUpdateFailedError;
}

function undelivered(error: unknown, { sessionId }: SessionRef): InboxError {
  return isLate(error)
    ? new InboxError('no_worker', `session ${sessionId} did not answer within ${answerMs / 1000} s`, {
        cause: error,
      })
    : new InboxError('unavailable', `the message could not be delivered: ${String(error)}`, {
        cause: error,
      });
}
