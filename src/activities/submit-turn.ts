import { Context } from '@temporalio/activity';
import {
  ApplicationFailure,
  WithStartWorkflowOperation,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import type { SubmittedTurn, SubmitTurnInput } from '../contracts/child-turns.ts';
import { failure } from '../contracts/failures.ts';
import type { Submission } from '../contracts/inputs.ts';
import { submitUpdate } from '../contracts/messages.ts';
import { sessionStart } from '../inbox/session-start.ts';
import { readReply, prepareSession } from './child-turns.ts';
import { composeInput, keepOutput } from './compose-input.ts';
import type { ActivityDeps } from './deps.ts';
import { waitingForStore } from './sessions.ts';

/** How long the session's answer is waited for; then another attempt asks again. */
const answerMs = 30_000;

/** Submits a turn to a session as a client does, from within a workflow. A repeat under the same input id does nothing. */
export async function submitTurn(
  deps: Pick<ActivityDeps, 'store' | 'agents'>,
  input: SubmitTurnInput,
): Promise<SubmittedTurn> {
  const { store } = deps;
  const { ref, inputId, replyTo, requesters } = input;
  const { submission, agent } = await waitingForStore(async () => {
    deps.agents.get(input.agent);
    if (input.isAgain && !(await store.sessions.get(ref)))
      throw ApplicationFailure.nonRetryable(`Session ${ref.sessionId} was erased`, failure.rejected);
    const session = await prepareSession(store, input);
    const submission: Submission = {
      id: inputId,
      input: await composeInput(store, input),
      ...(input.output ? { output: await keepOutput(store, ref, input.output) } : {}),
      ...(requesters ? { requesters } : {}),
      replyTo,
    };
    return { submission, agent: session.agent };
  });
  const { client, info } = Context.current();
  const deadline = Date.now() + answerMs;
  const { turnId } = await client.connection
    .withDeadline(deadline, () =>
      client.workflow.executeUpdateWithStart(submitUpdate, {
        args: [submission],
        startWorkflowOperation: new WithStartWorkflowOperation('agentSession', {
          ...sessionStart(ref, { agent, taskQueue: info.taskQueue }),
          workflowIdConflictPolicy: 'USE_EXISTING',
        }),
      }),
    )
    .catch((error: unknown) => {
      throw isRejection(error)
        ? ApplicationFailure.nonRetryable(error.cause.message, failure.rejected)
        : error;
    });
  const reply = await readReply(deps, { ref, turnId });
  return { turnId, ...(reply ? { reply } : {}) };
}

function isRejection(error: unknown): error is WorkflowUpdateFailedError & { cause: ApplicationFailure } {
  return (
    error instanceof WorkflowUpdateFailedError &&
    error.cause instanceof ApplicationFailure &&
    error.cause.type === failure.rejected
  );
}
