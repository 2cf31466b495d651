import { ApplicationFailure, Context } from '@temporalio/activity';
import type {
  CloseTurnInput,
  OpenedTurn,
  SessionSnapshot,
  StoreActivities,
} from '../contracts/activities.ts';
import { failure } from '../contracts/failures.ts';
import { turnIdOf, type SessionRef } from '../contracts/ids.ts';
import { childSessionId, subagentName } from '../core/lineage.ts';
import { isSettled } from '../core/next-action.ts';
import { inputMessageId } from '../core/message-ids.ts';
import { noUsage } from '../core/usage.ts';
import { isWorkflowOpen } from '../inbox/is-open.ts';
import { hasRunner, runnerOf, setRunner } from '../inbox/reach.ts';
import { isUnsettled, readTasks } from '../tasks/background-slot.ts';
import type { Block } from '../schema/message.ts';
import type { Store } from '../store/store.ts';
import { readTeam } from '../team/team-slot.ts';
import type { ActivityDeps } from './deps.ts';
import { turnOfMessage, untaken } from './inbox-messages.ts';
import { readInput, readInputOrHint } from './read-input.ts';
import { toFailure } from './to-failure.ts';

/** Input ids that a session learns when it is loaded, to recognize repeats. */
const recentInputs = 200;

type Input<K extends keyof StoreActivities> = Parameters<StoreActivities[K]>[0];

/** Loads what a session needs to start, and closes a turn that an earlier run of it left behind: its workflow is gone with that run. */
export async function loadSession(
  deps: ActivityDeps,
  { ref, agent, mustExist = false }: Input<'loadSession'>,
): Promise<SessionSnapshot> {
  const { store, lingerMs, hasSearchAttributes } = deps;
  return waitingForStore(async () => {
    if (mustExist && !(await store.sessions.get(ref)))
      throw ApplicationFailure.nonRetryable(`Session ${ref.sessionId} was erased`, failure.rejected);
    const session = await store.sessions.claim(ref, agent);
    // Its turns are run by those who asked for them.
    if (session.lineage?.kind === 'subagent')
      throw ApplicationFailure.nonRetryable(
        `Session ${ref.sessionId} is a subagent's: write to ${session.lineage.parent}, which it works for`,
        failure.rejected,
      );
    const runner = await runnerOf(store, ref);
    if (runner !== undefined) {
      if (await isWorkflowOpen(Context.current().client, runner))
        throw ApplicationFailure.nonRetryable(hasRunner(ref, runner), failure.rejected);
      await setRunner(store, ref, undefined);
    }
    const last = session.lastTurn > 0 ? await store.turns.get(ref, session.lastTurn) : undefined;
    await closeLeft(deps, ref);
    // By its error too: an earlier attempt may have closed it, and told nobody.
    const isLeft = last && (last.state !== 'ended' || last.error?.message === endedFromOutside.message);
    // What was saved when the session was cancelled, without what has begun since.
    const queue = session.control.queue.filter(({ turn }) => turn > session.lastTurn);
    const newest = Math.max(session.lastTurn, ...queue.map(({ turn }) => turn));
    const inbox = await untaken(store, ref, session.control.inbox ?? []);
    const seen = await store.turns.recentInputs(ref, recentInputs);
    return {
      nextTurn: newest + 1,
      queue,
      ...(inbox.length === 0 ? {} : { inbox }),
      seen: [...seen, ...queue.map(({ inputId, turn }) => ({ inputId, turn }))],
      settings: { lingerMs, hasSearchAttributes },
      ...(isLeft && session.lineage ? { leftTurn: last.turn } : {}),
      ...((await hasOthersAtWork(store, ref)) ? { isWatching: true } : {}),
    };
  });
}

const endedFromOutside = {
  code: failure.internal,
  message: "The session's workflow was ended from outside.",
};

/**
 * Closes the newest turn of a session whose workflow is gone: nobody else will.
 *
 * @returns false when it has ended.
 */
export async function closeLeft(deps: Pick<ActivityDeps, 'store'>, ref: SessionRef): Promise<boolean> {
  const { sessions, turns } = deps.store;
  const { lastTurn = 0 } = (await sessions.get(ref)) ?? {};
  const last = lastTurn > 0 ? await turns.get(ref, lastTurn) : undefined;
  if (!last || last.state === 'ended') return false;
  const { turn, agent, inputId } = last;
  const result = { finishReason: 'error' as const, error: endedFromOutside };
  await closeTurn(deps, { ref, turn, agent, inputId, input: '', result });
  return true;
}

/** Whether a session has begun what may go on without it: then its workflow stays, to notice when that is lost. */
async function hasOthersAtWork(store: Store, ref: SessionRef): Promise<boolean> {
  if (((await readTeam(store, ref))?.members.length ?? 0) > 0) return true;
  return (await readTasks(store, ref)).some(isUnsettled);
}

export async function saveSession(
  { store }: ActivityDeps,
  { ref, control }: Input<'saveSession'>,
): Promise<void> {
  await waitingForStore(() => store.sessions.saveControl(ref, control));
}

export async function releaseSession(
  { store }: ActivityDeps,
  { ref }: Input<'releaseSession'>,
): Promise<void> {
  await waitingForStore(() => store.sessions.release(ref));
}

export async function openTurn(deps: ActivityDeps, input: Input<'openTurn'>): Promise<OpenedTurn> {
  return waitingForStore(async () => {
    const agent = deps.agents.get(input.agent);
    const opened = {
      maxIterations: agent.maxIterations,
      modelName: agent.model,
      stopsWhenAllDenied: agent.permissions.stopsWhenAllDenied,
    };
    const taken = await turnOfMessage(deps.store, input.ref, input.input);
    if (taken !== undefined && taken !== input.turn)
      return { ...opened, duplicateOf: turnIdOf(input.ref, taken) };
    const content = await readInput(deps.store, input.ref, input.input);
    const turn = await commitOpening(deps, input, content, agent.revision);
    return { ...opened, ...(turn.turn === input.turn ? {} : { duplicateOf: turn.turnId }) };
  });
}

/** Ends a session's own turn. @returns whether the session has begun what may go on without it. */
export async function closeSessionTurn(deps: ActivityDeps, input: CloseTurnInput): Promise<boolean> {
  await closeTurn(deps, input);
  return waitingForStore(() => hasOthersAtWork(deps.store, input.ref));
}

/** Ends a turn, whatever is known of it. One that failed before it was opened is opened first, so that its error has a place. */
export async function closeTurn(deps: Pick<ActivityDeps, 'store'>, input: CloseTurnInput): Promise<void> {
  const { ref, turn, result } = input;
  const isRepeat = result.turnId !== undefined && result.turnId !== turnIdOf(ref, turn);
  if (isRepeat) return;
  await waitingForStore(async () => {
    if (!(await deps.store.turns.get(ref, turn))) await openFailed(deps, input);
    // Its workflow was ended from outside, and with it those of the turns that it waited for.
    if (result.turnId === undefined) await closeLeftBelow(deps, input);
    const { finishReason, replyMessageId, error } = result;
    await deps.store.turns.close({
      ref,
      turn,
      finishReason,
      usage: result.usage ?? noUsage,
      ...(replyMessageId === undefined ? {} : { replyMessageId }),
      ...(error ? { error } : {}),
      // What the provider rejected once it would reject in every later turn as well.
      isExcluded: error?.code === failure.modelRejectedRequest,
      danglingResult:
        finishReason === 'interrupted'
          ? 'The turn was interrupted before this call had a result.'
          : 'The turn ended before this call had a result.',
      events: [
        ...(finishReason === 'interrupted'
          ? [{ kind: 'interrupted' as const, reason: result.reason ?? 'interrupted' }]
          : []),
        ...(error ? [{ kind: 'error' as const, ...error, retryable: false }] : []),
        { kind: 'run_end', run: result.run ?? 1, reason: finishReason },
        { kind: 'turn_end', finishReason, usage: result.usage ?? noUsage, ...(error ? { error } : {}) },
      ],
    });
  });
}

async function closeLeftBelow(
  deps: Pick<ActivityDeps, 'store'>,
  { ref, turn, result }: CloseTurnInput,
): Promise<void> {
  const { calls, sessions, turns } = deps.store;
  const left = (await calls.ofTurn(ref, turn)).filter((call) => call.isDispatched && !isSettled(call));
  for (const call of left) {
    const child = { owner: ref.owner, sessionId: childSessionId(ref.sessionId, subagentName(call)) };
    const session = await sessions.get(child);
    const isOfCall = session?.lineage?.callId === call.callId && !session.lineage.isTask;
    const last = isOfCall && (await turns.get(child, session.lastTurn));
    if (!session || !last || last.state === 'ended') continue;
    const { agent, inputId } = last;
    await closeTurn(deps, { ref: child, turn: last.turn, agent, inputId, input: '', result });
  }
}

async function openFailed(deps: Pick<ActivityDeps, 'store'>, input: CloseTurnInput): Promise<void> {
  const content = await readInputOrHint(deps.store, input.ref, input.input);
  await commitOpening(deps, input, content, '');
}

function commitOpening(
  { store }: Pick<ActivityDeps, 'store'>,
  { ref, turn, agent, inputId }: Pick<CloseTurnInput, 'ref' | 'turn' | 'agent' | 'inputId'>,
  content: Block[],
  revision: string,
) {
  return store.turns.open({
    ref,
    turn,
    inputId,
    agent,
    revision,
    message: {
      id: inputMessageId(turn),
      turn,
      step: 0,
      role: 'user',
      content,
      createdAt: new Date().toISOString(),
    },
    events: [
      { kind: 'turn_start', agent, revision },
      { kind: 'run_start', run: 1 },
    ],
  });
}

/** Errors as Temporal understands them: a store that is away is retried without end. */
export async function waitingForStore<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw toFailure(error, 1, Number.POSITIVE_INFINITY);
  }
}
