// Workflow code: a turn of an agent inside any workflow. Imports contracts, core and @temporalio/workflow only.
import {
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  ChildWorkflowCancellationType,
  condition,
  executeChild,
  ParentClosePolicy,
  setHandler,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import type { OpenChildInput, TurnReply } from '../contracts/child-turns.ts';
import { failure } from '../contracts/failures.ts';
import { sessionWorkflowId, turnIdOf } from '../contracts/ids.ts';
import { interruptSignal, turnEndedSignal } from '../contracts/messages.ts';
import type { Requesters } from '../core/approval.ts';
import type { PermissionMode } from '../core/permission.ts';
import { childTurns, submitTurn } from './activity-proxies.ts';
import { agentTurn } from './agent-turn.ts';
import { foundBy, runningAttributes } from './child-attributes.ts';
import { requestersOf, toContent, type TurnInputLike } from './turn-content.ts';
import { outcomeOf } from './turn-outcome.ts';
import { signalTurn } from './turn-signals.ts';

export interface RunTurnOptions {
  /** Whose sessions. */
  owner: string;
  /**
   * A session that outlives this call: the turn waits its turn in that session's inbox, as any other. Default: a session of its own for
   * each call.
   */
  session?: string;
  /** The mode that a session without one gets: `dont_ask` where nobody is there to be asked. */
  permissionMode?: PermissionMode;
  /** Who asks: approval policies may want it to be, or not to be, who answers. Absent: nobody can answer under four eyes. */
  actor?: string;
  /** JSON Schema of an object: the reply then has it as `output`. */
  output?: NonNullable<OpenChildInput['output']>;
  /** What Temporal Web calls it. Default: the agent's name. */
  summary?: string;
}

/**
 * Runs one turn of an agent inside a workflow, and waits for its end, at gates for as long as it takes. It survives whatever the workflow
 * survives; cancelling the workflow interrupts it.
 *
 * @param agent the name of an agent that the workers of this task queue know.
 * @returns the reply; give it on as the input of another turn, whole.
 * @throws ApplicationFailure `TurnFailed`, its first detail the reply, when the turn ended by `error`, `interrupted` or `budget_exceeded`.
 * @example const reply = await runTurn('researcher', 'What is new about whales?', { owner: 'acme' });
 */
export async function runTurn(
  agent: string,
  input: TurnInputLike,
  options: RunTurnOptions,
): Promise<TurnReply> {
  return options.session === undefined
    ? runOwnTurn({ ...planOf(agent, input, options), ...summaryOf(agent, options) })
    : runInSession({ ...planOf(agent, input, options) });
}

function planOf(agent: string, input: TurnInputLike, options: RunTurnOptions): OpenChildInput {
  const inputId = uuid4();
  return {
    ref: { owner: options.owner, sessionId: options.session ?? freshSessionId(inputId) },
    agent,
    inputId,
    content: toContent(input),
    requesters: requestersOf(input, options.actor),
    ...(options.permissionMode === undefined ? {} : { permissionMode: options.permissionMode }),
    ...(options.output ? { output: options.output } : {}),
  };
}

function summaryOf(agent: string, { summary = agent }: RunTurnOptions) {
  return { summary };
}

/** Says whose it is to people who read it, and is no one else's. */
function freshSessionId(id: string): string {
  const name = workflowInfo()
    .workflowId.replaceAll(/[^A-Za-z0-9._:@-]/g, '.')
    .slice(0, 90);
  return `${/^[A-Za-z0-9]/.test(name) ? name : `w${name}`}.${id.slice(0, 8)}`;
}

/** Runs a turn as a child of this workflow, in a session that is its own. */
export async function runOwnTurn(plan: OpenChildInput & { summary: string }): Promise<TurnReply> {
  const { summary, ...input } = plan;
  const { ref, agent, inputId } = input;
  const opened = await childTurns.openChild(input);
  if (opened.reply) return accepted(opened.reply);
  const { turn, hasSearchAttributes, ...content } = opened;
  const address = { ref, agent, turn, inputId };
  const result = await outcomeOf(() =>
    executeChild(agentTurn, {
      workflowId: turnIdOf(ref, turn),
      args: [
        {
          ...address,
          input: content.input,
          ...(input.requesters ? { requesters: input.requesters } : {}),
          hasSearchAttributes,
          ...outputOf(content),
        },
      ],
      staticSummary: `${summary} · turn ${turn} of ${ref.sessionId}`,
      parentClosePolicy: ParentClosePolicy.TERMINATE,
      cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
      ...foundBy(hasSearchAttributes, runningAttributes(address)),
    }),
  );
  const reply = await CancellationScope.nonCancellable(() =>
    childTurns.closeChild({ ...address, input: content.input, result }),
  );
  if (CancellationScope.current().consideredCancelled)
    throw new CancelledFailure('The workflow was cancelled');
  return accepted(from(reply, result.requesters));
}

function from(reply: TurnReply, requesters: Requesters | undefined): TurnReply {
  return requesters ? { ...reply, requesters } : reply;
}

function outputOf({ output }: { output?: { ref: string } }) {
  return output ? { output } : {};
}

/** How long the end of a turn is waited for before the session is asked again, in milliseconds; each time twice as long. */
const firstAskMs = 10 * 60_000;
const longestAskMs = 6 * 3_600_000;

/** Runs a turn through a session's inbox, which tells of its end. Cancelled, it has the turn interrupted, or withdrawn while that waits. */
export async function runInSession(plan: OpenChildInput): Promise<TurnReply> {
  let ended: { requesters?: Requesters } | undefined;
  setHandler(turnEndedSignal(plan.inputId), (told) => void (ended = told));
  const hasEnded = () => ended !== undefined;
  const scope = CancellationScope.current();
  if (scope.consideredCancelled) await scope.cancelRequested;
  const isCancelled = () => scope.consideredCancelled;
  const submit = (isAgain: boolean) =>
    submitTurn.executeWithOptions({ summary: `submit to ${plan.ref.sessionId}` }, [
      { ...plan, replyTo: workflowInfo().workflowId, ...(isAgain ? { isAgain } : {}) },
    ]);
  const reply = await CancellationScope.nonCancellable(async () => {
    // A session whose workflow was ended from outside tells nobody: asked again, it closes what it left behind.
    for (let askMs = firstAskMs; ; askMs = Math.min(askMs * 2, longestAskMs)) {
      const { turnId, reply } = await submit(askMs > firstAskMs);
      if (reply) return reply;
      const options = { summary: `end of ${turnId}` };
      await condition(() => hasEnded() || isCancelled(), askMs, options);
      if (isCancelled() && !hasEnded()) {
        const reason = `the workflow ${workflowInfo().workflowId}, which asked for it, was cancelled`;
        await signalTurn(sessionWorkflowId(plan.ref), interruptSignal, { turnId, reason });
        await condition(hasEnded, askMs, options);
      }
      const read = hasEnded() ? await childTurns.readReply({ ref: plan.ref, turnId }) : undefined;
      if (read) return from(read, ended?.requesters);
      ended = undefined;
    }
  });
  if (isCancelled()) throw new CancelledFailure('The workflow was cancelled');
  return accepted(reply);
}

const failed: readonly TurnReply['finishReason'][] = ['error', 'interrupted', 'budget_exceeded'];

function accepted(reply: TurnReply): TurnReply {
  if (!failed.includes(reply.finishReason)) return reply;
  const why = reply.error ? `${reply.error.message} [${reply.error.code}]` : reply.finishReason;
  throw ApplicationFailure.create({
    message: `${reply.turnId} of ${reply.agent} ended without an answer: ${why}`,
    type: failure.turnFailed,
    nonRetryable: true,
    details: [reply],
  });
}
