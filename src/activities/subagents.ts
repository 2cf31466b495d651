import { ApplicationFailure } from '@temporalio/activity';
import type { z } from 'zod';
import type { Agent } from '../agents/agent.ts';
import { AgentNotFoundError } from '../agents/agent-registry.ts';
import type { SubagentInput } from '../agents/agent-tool.ts';
import type { CallChange, CloseSubagentInput, OpenedSubagent, TurnAddress } from '../contracts/activities.ts';
import type { ChildTurn } from '../contracts/inputs.ts';
import type { SessionRef } from '../contracts/ids.ts';
import { inheritedPermissions } from '../core/inherit-permissions.ts';
import { childSessionId, subagentName } from '../core/lineage.ts';
import { isSettled } from '../core/next-action.ts';
import type { PermissionPolicy } from '../core/permission.ts';
import type { CallRecord } from '../store/call-store.ts';
import type { SessionRecord, Store } from '../store/store.ts';
import { readTasks } from '../tasks/background-slot.ts';
import { parseArguments } from '../tools/parse-arguments.ts';
import type { Subagent } from '../tools/subagent.ts';
import { describeError, errorOutcome } from '../tools/tool-errors.ts';
import type { ToolOutcome } from '../tools/tool.ts';
import { childOutcome } from './child-outcome.ts';
import { composeInput, keepOutput } from './compose-input.ts';
import type { ActivityDeps } from './deps.ts';
import { equip, type EquippedAgent } from './equip.ts';
import { isFinal, judge } from './judge.ts';
import { toChange } from './task-registry.ts';
import { parentContext } from './parent-context.ts';
import { policyOf } from './policy.ts';
import { resultMessage, textOutcome } from './result-message.ts';
import { closeTurn, waitingForStore } from './sessions.ts';

type OpenInput = TurnAddress & { callId: string; maxTokens?: number; canBackground: boolean };

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
    if ('child' in opened) return { kind: 'opened', ...opened };
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

interface Opened {
  child: ChildTurn;
  /** It goes on in the background after so long; 0 is at once. */
  background?: { afterMs: number };
}

interface Request extends Pick<OpenInput, 'ref' | 'maxTokens' | 'canBackground'> {
  call: CallRecord;
  agent: EquippedAgent;
  session: SessionRecord;
}

async function openFor(deps: ActivityDeps, request: Request): Promise<Opened | ToolOutcome> {
  const { call, agent, session, ref } = request;
  const tool = agent.toolByName.get(call.name);
  if (!tool?.subagent) return errorOutcome(`The tool ${call.name} is not part of the agent any more.`);
  const parsed = await parseArguments(call.sealed ?? call.arguments, tool);
  if (!parsed.ok) return errorOutcome(parsed.message);
  const policy = await policyOf(deps, agent, session);
  const decision = await judge(agent, tool, parsed.input, session, policy);
  if (isFinal(decision)) return textOutcome('denied', `Permission denied: ${decision.reason}`);

  const given = parsed.input as z.infer<typeof SubagentInput>;
  const maxTokens = least(request.maxTokens, tool.subagent.limits.maxTokens);
  const background = backgroundOf(request, tool.subagent, given.background ?? false, tool.backgroundAfterMs);
  const why =
    maxTokens === 0
      ? 'the tokens that this turn may use are used up'
      : await whyNot(deps.store, ref, tool.subagent, background?.afterMs === 0);
  if (why !== undefined) return errorOutcome(`${call.name} can't begin: ${why}.`);
  try {
    const own = deps.agents.get(tool.subagent.agent.name);
    const child = await beginChild(deps.store, { request, own, policy, isTask: background !== undefined });
    const parts = [
      ...(await parentContext(deps.store, ref, call, tool.subagent.context)),
      { type: 'text' as const, text: given.prompt },
    ];
    const inputId = `call/${call.callId}`;
    const { output } = tool.subagent;
    return {
      child: {
        ref: child,
        turn: 1,
        agent: own.name,
        inputId,
        input: await composeInput(deps.store, { ref: child, inputId, content: parts }),
        ...(output ? { output: await keepOutput(deps.store, child, output.parameters) } : {}),
        ...(maxTokens === undefined ? {} : { maxTokens }),
      },
      ...(background ? { background } : {}),
    };
  } catch (error) {
    const isWrong = error instanceof AgentNotFoundError || error instanceof ApplicationFailure;
    if (!isWrong) throw error;
    return errorOutcome(`${call.name} can't begin: ${describeError(error)}`);
  }
}

/** Whoever is run by another turn has no inbox of its own that an answer could come to: it waits. */
function backgroundOf(
  { canBackground }: Request,
  { mode }: Subagent,
  isAskedFor: boolean,
  afterMs: number | undefined,
): Opened['background'] {
  if (!canBackground) return undefined;
  if (mode === 'background' || (mode === 'model decides' && isAskedFor)) return { afterMs: 0 };
  return afterMs === undefined ? undefined : { afterMs };
}

async function whyNot(
  store: Store,
  ref: SessionRef,
  { limits }: Subagent,
  isBackground: boolean,
): Promise<string | undefined> {
  const level = 1 + (await store.sessions.ancestors(ref)).length;
  if (level > limits.depth)
    return `it may stand at most ${limits.depth} levels below the first session, and this would be level ${level}: do the work yourself`;
  if (!isBackground) return undefined;
  const working = (await readTasks(store, ref)).filter(
    ({ state, taskSessionId }) => state === 'running' && taskSessionId !== undefined,
  );
  if (working.length < limits.breadth) return undefined;
  return `${working.length} subagents work in the background already, and more than ${limits.breadth} may not: wait for one of them`;
}

async function beginChild(
  store: Store,
  {
    request,
    own,
    policy,
    isTask,
  }: { request: Request; own: Agent; policy: PermissionPolicy; isTask: boolean },
): Promise<SessionRef> {
  const { ref, call } = request;
  const name = subagentName(call);
  const child = { owner: ref.owner, sessionId: childSessionId(ref.sessionId, name) };
  const opened = await store.sessions.open(child, own.name, {
    parent: ref.sessionId,
    kind: 'subagent',
    name,
    relay: 'all',
    callId: call.callId,
    ...(isTask ? { isTask } : {}),
  });
  const { mode, rules } = inheritedPermissions(policy, own.permissions.mode);
  if (opened.lastTurn === 0 && (mode !== undefined || rules.length > 0))
    await store.sessions.changePermissions(child, {
      ...(mode === undefined ? {} : { mode }),
      addRules: rules.map((rule) => ({ ...rule, source: 'session' })),
    });
  return child;
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
