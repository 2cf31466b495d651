import { randomUUID } from 'node:crypto';
import { WithStartWorkflowOperation } from '@temporalio/client';
import { sessionWorkflowId } from '../contracts/ids.ts';
import type { Submission } from '../contracts/inputs.ts';
import { submitSignal, submitUpdate, takenQuery } from '../contracts/messages.ts';
import { toActor } from '../core/approval.ts';
import { turnNumber } from '../core/message-ids.ts';
import { hasRunner, runnerOf } from '../inbox/reach.ts';
import { sessionStart } from '../inbox/session-start.ts';
import type { SessionRecord } from '../store/store.ts';
import type { SchemaOutput, ToolSchema } from '../tools/tool-schema.ts';
import { callTemporal, isOpen } from './call-temporal.ts';
import { checkSubmitOptions } from './check-options.ts';
import type { Input, SubmitOptions, Turn } from './client.ts';
import { DurascopeError } from './durascope-error.ts';
import { checkInputAtGate } from './input-at-gate.ts';
import { prepareInput } from './prepare-input.ts';
import { prepareOutput } from './prepare-output.ts';
import { mustBeOfAgent, newAgent, type SessionPlace } from './session-place.ts';
import { TemporalTurn } from './temporal-turn.ts';

/** Makes an input a turn of its session, or has the running turn take it in. A repeat under the same key gets the turn of the first. */
export async function submitInput<S extends ToolSchema>(
  place: SessionPlace,
  input: Input,
  options: SubmitOptions<S>,
): Promise<Turn<SchemaOutput<S>>> {
  checkSubmitOptions(options);
  const { context, ref } = place;
  const id = options.idempotencyKey ?? randomUUID();
  const { store } = context.content;
  const wanted = options.output && (await prepareOutput(store, ref, options.output));
  const checkOutput = wanted ? { checkOutput: wanted.check } : {};
  const session = await store.sessions.get(ref);
  // The session's workflow knows its newest inputs only.
  const known =
    session && options.idempotencyKey !== undefined ? await store.turns.ofInput(ref, id) : undefined;
  if (known) return new TemporalTurn(context, ref, known.turn, { status: 'repeated', ...checkOutput });
  try {
    if (session) await mustTakeInput(place, session, options);
    if (!session || !isForRunning(session, options)) await options.mayBegin?.();
  } catch (refusal) {
    // A repeat of what waits already is none of the new inputs that are refused.
    const mayBeRepeat = session !== undefined && options.idempotencyKey !== undefined;
    const turnId = mayBeRepeat ? await takenAs(place, id) : undefined;
    if (turnId === undefined) throw refusal;
    return new TemporalTurn(context, ref, turnNumber(turnId), { status: 'repeated', ...checkOutput });
  }
  const submission: Submission = {
    id,
    input: await prepareInput(store, ref, id, input),
    ...(options.ifBusy === undefined ? {} : { ifBusy: options.ifBusy }),
    ...(options.actor === undefined ? {} : { actor: options.actor }),
    ...(wanted ? { output: wanted.output } : {}),
  };
  const { turn, ...taken } = await deliver(place, session, submission);
  return new TemporalTurn(context, ref, turn, { ...taken, ...checkOutput });
}

async function mustTakeInput(
  place: SessionPlace,
  session: SessionRecord,
  options: SubmitOptions,
): Promise<void> {
  const { context, ref } = place;
  mustBeOfAgent(place, session);
  if (session.lineage?.kind === 'subagent')
    throw new DurascopeError(
      'conflict',
      `Session ${ref.sessionId} is a subagent's, and takes no input of its own: write to ${session.lineage.parent}, which it works for`,
    );
  const runner = await runnerOf(context.content.store, ref);
  if (runner !== undefined && (await isOpen(context, runner)))
    throw new DurascopeError('conflict', hasRunner(ref, runner));
  await checkInputAtGate(context, session, options);
}

/** A running turn takes it in: it begins none. */
function isForRunning({ state }: SessionRecord, { ifBusy }: SubmitOptions): boolean {
  return state !== 'idle' && (ifBusy === 'steer' || ifBusy === 'deny');
}

/** The turn of an input that the session's workflow has taken and the store may not know yet; undefined also where no worker tells. */
async function takenAs({ context, ref }: SessionPlace, inputId: string): Promise<string | undefined> {
  const handle = context.temporal.workflow.getHandle(sessionWorkflowId(ref));
  return callTemporal(context, () => handle.query(takenQuery, inputId)).catch(() => undefined);
}

/**
 * While no workflow has the session in hand, the store numbers the input and keeps it, and the workflow is only woken: nobody waits for a
 * worker. Else the workflow decides.
 */
async function deliver(place: SessionPlace, known: SessionRecord | undefined, submission: Submission) {
  const { context, ref } = place;
  let session = known;
  if (!session?.isClaimed) {
    const { id, input, ifBusy = 'queue', actor, output } = submission;
    const requester = toActor(actor)?.id;
    const answer = await context.content.store.sessions.enqueue(
      ref,
      session?.agent ?? newAgent(place),
      {
        inputId: id,
        input,
        ...(requester === undefined ? {} : { requester }),
        ...(output ? { output } : {}),
      },
      { mayWait: ifBusy === 'queue' },
    );
    session = answer.session;
    mustBeOfAgent(place, session);
    if (answer.enqueued) {
      await signalWithStart(place, session.agent, submission);
      return { ...answer.enqueued, after: session.lastEventId };
    }
  }
  const { turnId, status } = await updateWithStart(place, session.agent, submission);
  return { turn: turnNumber(turnId), status, after: session.lastEventId };
}

/** Delivers to the session whether or not its workflow runs. A repeat under the same id is harmless, so a lost race is tried again. */
async function updateWithStart({ context, ref }: SessionPlace, agent: string, submission: Submission) {
  const { temporal, taskQueue } = context;
  return callTemporal(context, () =>
    temporal.workflow.executeUpdateWithStart(submitUpdate, {
      args: [submission],
      startWorkflowOperation: new WithStartWorkflowOperation('agentSession', {
        ...sessionStart(ref, { agent, taskQueue }),
        workflowIdConflictPolicy: 'USE_EXISTING',
      }),
    }),
  );
}

async function signalWithStart(
  { context, ref }: SessionPlace,
  agent: string,
  submission: Submission,
): Promise<void> {
  const { temporal, taskQueue } = context;
  await callTemporal(context, () =>
    temporal.workflow.signalWithStart('agentSession', {
      ...sessionStart(ref, { agent, taskQueue }),
      signal: submitSignal,
      signalArgs: [submission],
    }),
  );
}
