import type { CallChange, CloseSubagentInput, OpenedSubagent, TurnAddress } from '../contracts/activities.ts';
import type { ChildTurn } from '../contracts/inputs.ts';
import type { SessionRef } from '../contracts/ids.ts';
import { inheritedPermissions } from '../core/inherit-permissions.ts';
import { childSessionId, subagentName } from '../core/lineage.ts';
import { isSettled } from '../core/next-action.ts';
import type { CallRecord, SessionRecord, Store } from '../store/store.ts';
import { parseArguments } from '../tools/parse-arguments.ts';
import { describeError, errorOutcome } from '../tools/tool-errors.ts';
import type { ToolOutcome } from '../tools/tool.ts';
import { childOutcome } from './child-outcome.ts';
import { composeInput, keepOutput } from './compose-input.ts';
import type { ActivityDeps } from './deps.ts';
import { equip, type EquippedAgent } from './equip.ts';
import { isFinal, judge } from './judge.ts';
import { parentContext } from './parent-context.ts';
import { policyOf } from './policy.ts';
import { resultMessage, textOutcome } from './result-message.ts';
import { closeTurn, waitingForStore } from './sessions.ts';

type OpenInput = TurnAddress & { callId: string; maxTokens?: number };

/** Opens the session in which a call's agent works, below the caller's; settles the call where that may not be. */
export async function openSubagent(deps: ActivityDeps, input: OpenInput): Promise<OpenedSubagent> {
  const { store } = deps;
  const { ref, callId } = input;
  return waitingForStore(async () => {
    const call = await dispatched(store, ref, callId);
    if (isSettled(call)) return { kind: 'settled', change: toChange(call) };
    const agent = await equip(deps, deps.agents.get(input.agent), ref);
    const session = await store.sessions.open(ref, input.agent);
    const opened = await openFor(deps, { ...input, call, agent, session });
    if ('ref' in opened) return { kind: 'opened', child: opened };
    return { kind: 'settled', change: await settle(store, ref, call, opened) };
  });
}

/** Commits the end of the turn below, and its answer as the call's result. */
export async function closeSubagent(deps: ActivityDeps, input: CloseSubagentInput): Promise<CallChange> {
  const { store } = deps;
  const { ref, callId, child, result, isStopping } = input;
  await closeTurn(deps, { ...child, result });
  return waitingForStore(async () => {
    const call = await store.calls.get(ref, callId);
    if (!call) throw new Error(`Call ${callId} is not in the store`);
    const agent = await equip(deps, deps.agents.get(input.agent), ref);
    const subagent = agent.toolByName.get(call.name)?.subagent;
    const outcome = await childOutcome(store, { name: call.name, child, result, isStopping, subagent });
    return settle(store, ref, call, outcome);
  });
}

/** The call, marked as begun: by this attempt, or by one whose worker ended. */
async function dispatched(store: Store, ref: SessionRef, callId: string): Promise<CallRecord> {
  const call = await store.calls.get(ref, callId);
  if (call?.isDispatched) return call;
  const [before] = await store.calls.dispatch(ref, [callId]);
  if (!before) throw new Error(`Call ${callId} is not in the store`);
  return before;
}

async function openFor(
  deps: ActivityDeps,
  request: Pick<OpenInput, 'ref' | 'maxTokens'> & {
    call: CallRecord;
    agent: EquippedAgent;
    session: SessionRecord;
  },
): Promise<ChildTurn | ToolOutcome> {
  const { call, agent, session, ref } = request;
  const tool = agent.toolByName.get(call.name);
  const subagent = tool?.subagent;
  if (!tool || !subagent) return errorOutcome(`The tool ${call.name} is not part of the agent any more.`);
  const parsed = await parseArguments(call.sealed ?? call.arguments, tool);
  if (!parsed.ok) return errorOutcome(parsed.message);
  const policy = await policyOf(deps, agent, session);
  const decision = await judge(agent, tool, parsed.input, session, policy);
  if (isFinal(decision)) return textOutcome('denied', `Permission denied: ${decision.reason}`);

  const depth = 1 + (await deps.store.sessions.ancestors(ref)).length;
  if (depth > subagent.limits.depth)
    return errorOutcome(
      `${call.name} may stand at most ${subagent.limits.depth} levels below the first session, and this would be level ${depth}: do the work yourself.`,
    );
  const maxTokens = least(request.maxTokens, subagent.limits.maxTokens);
  if (maxTokens === 0)
    return errorOutcome(`The tokens that this turn may use are used up: ${call.name} can't begin.`);
  let own;
  try {
    own = deps.agents.get(subagent.agent.name);
  } catch (error) {
    return errorOutcome(`${call.name} can't begin: ${describeError(error)}`);
  }

  const name = subagentName(call);
  const child = { owner: ref.owner, sessionId: childSessionId(ref.sessionId, name) };
  const lineage = {
    parent: ref.sessionId,
    kind: 'subagent',
    name,
    relay: 'all',
    callId: call.callId,
  } as const;
  const opened = await deps.store.sessions.open(child, own.name, lineage);
  const { mode, rules } = inheritedPermissions(policy, own.permissions.mode);
  if (opened.lastTurn === 0 && (mode !== undefined || rules.length > 0))
    await deps.store.sessions.changePermissions(child, {
      ...(mode === undefined ? {} : { mode }),
      addRules: rules.map((rule) => ({ ...rule, source: 'session' })),
    });
  const { prompt } = parsed.input as { prompt: string };
  const parts = [
    ...(await parentContext(deps.store, ref, call, subagent.context)),
    { type: 'text' as const, text: prompt },
  ];
  const inputId = `call/${call.callId}`;
  return {
    ref: child,
    turn: 1,
    agent: own.name,
    inputId,
    input: await composeInput(deps.store, { ref: child, inputId, content: parts }),
    ...(subagent.output ? { output: await keepOutput(deps.store, child, subagent.output.parameters) } : {}),
    ...(maxTokens === undefined ? {} : { maxTokens }),
  };
}

/** The smaller of two limits, where there is one. */
function least(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}

async function settle(
  store: Store,
  ref: SessionRef,
  call: CallRecord,
  outcome: ToolOutcome,
): Promise<CallChange> {
  return toChange(await store.calls.settle(ref, call.callId, resultMessage(call, outcome)));
}

function toChange({ callId, state, reason }: CallRecord): CallChange {
  return { callId, state, ...(reason === undefined ? {} : { reason }) };
}
