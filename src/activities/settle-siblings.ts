import type { Agent } from '../agents/agent.ts';
import type { GateOutcome } from '../contracts/activities.ts';
import type { PermissionPolicy } from '../core/permission.ts';
import type { CallRecord } from '../store/call-store.ts';
import type { SessionRecord, Store } from '../store/store.ts';
import { parseArguments } from '../tools/parse-arguments.ts';
import type { Tool } from '../tools/tool.ts';
import { isCoveredBy, judge } from './judge.ts';
import { toAudit } from './judge-calls.ts';
import { resultMessage, textOutcome } from './result-message.ts';

/** What calls are judged by. */
export interface Judges {
  store: Store;
  agent: Agent;
  session: SessionRecord;
  policy: PermissionPolicy;
}

/**
 * Judges the calls of a step that still ask, or are held back, under the rules that hold now: one that a rule settles goes on, one whose
 * elder sibling has its answer is asked itself.
 */
export async function settleSiblings(judges: Judges, calls: readonly CallRecord[]): Promise<void> {
  const elders: CallRecord[] = [];
  for (const call of calls) {
    // One that asks while it runs was allowed long ago: its question is the call's own.
    const isOpen = (call.state === 'asking' && !call.isDispatched) || call.state === 'held';
    elders.push(isOpen ? await judgeAgain(judges, call, elders) : call);
  }
}

export function toOutcome({ callId, state, reason }: CallRecord): GateOutcome {
  return { callId, state, ...(reason === undefined ? {} : { reason }) };
}

async function judgeAgain(
  { store, agent, session, policy }: Judges,
  call: CallRecord,
  elders: readonly CallRecord[],
): Promise<CallRecord> {
  const { ref } = session;
  const askNow = () =>
    call.state === 'held' ? store.calls.move(ref, call.callId, { state: 'asking' }) : call;
  const tool = agent.toolByName.get(call.name);
  const parsed = tool && (await parseArguments(call.sealed ?? call.arguments, tool));
  // A tool that is gone, or takes something else by now: a person can still deny the call.
  if (!tool || tool.question || !parsed?.ok) return askNow();

  const decision = await judge(agent, tool, parsed.input, session, policy);
  const audit = toAudit(decision, call.arguments);
  if (decision.behavior === 'deny') {
    const denied = textOutcome('denied', `Permission denied: ${decision.reason}`);
    return store.calls.settle(ref, call.callId, resultMessage(call, denied), { audit });
  }
  if (decision.behavior === 'allow') {
    const { reason } = decision;
    return store.calls.move(
      ref,
      call.callId,
      { state: tool.isExternal ? 'submitted' : 'allowed', reason },
      { events: [{ kind: 'gate_answered', callId: call.callId, answer: 'allow', reason }], audit },
    );
  }
  return hasOpenElder(elders, tool, parsed.input) ? call : askNow();
}

function hasOpenElder(elders: readonly CallRecord[], tool: Tool, input: unknown): boolean {
  return elders.some(
    ({ state, isDispatched, suggestedRules }) =>
      state === 'asking' && !isDispatched && isCoveredBy(suggestedRules ?? [], tool, input),
  );
}
