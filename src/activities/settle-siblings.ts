import type { Agent } from '../agents/agent.ts';
import type { GateOutcome } from '../contracts/activities.ts';
import type { PermissionPolicy } from '../core/permission.ts';
import type { CallRecord, SessionRecord, Store } from '../store/store.ts';
import { parseArguments } from '../tools/parse-arguments.ts';
import type { Tool } from '../tools/tool.ts';
import { isCoveredBy, judge } from './judge.ts';
import { toAudit } from './judge-calls.ts';
import { resultMessage, textOutcome } from './result-message.ts';

interface Judges {
  store: Store;
  agent: Agent;
  session: SessionRecord;
  policy: PermissionPolicy;
}

/**
 * Judges the calls of a step that still ask, or are held back, under the rules that hold now: one that a rule settles goes on, one whose
 * elder sibling has its answer is asked itself.
 */
export async function settleSiblings(judges: Judges, calls: readonly CallRecord[]): Promise<GateOutcome[]> {
  const outcomes: GateOutcome[] = [];
  for (const [i, call] of calls.entries()) {
    if (call.state !== 'asking' && call.state !== 'held') continue;
    const tool = judges.agent.toolByName.get(call.name);
    if (!tool || tool.question) continue;
    const parsed = await parseArguments(call.sealed ?? call.arguments, tool);
    if (!parsed.ok) continue;
    const isHeldOn = call.state === 'held' && hasOpenElder(calls.slice(0, i), tool, parsed.input);
    const outcome = await judgeAgain(judges, call, tool, parsed.input, isHeldOn);
    if (outcome) outcomes.push(outcome);
  }
  return outcomes;
}

export function toOutcome({ callId, state, reason }: CallRecord): GateOutcome {
  return { callId, state, ...(reason === undefined ? {} : { reason }) };
}

function hasOpenElder(elders: readonly CallRecord[], tool: Tool, input: unknown): boolean {
  return elders.some(
    ({ state, suggestedRules }) => state === 'asking' && isCoveredBy(suggestedRules ?? [], tool, input),
  );
}

async function judgeAgain(
  { store, agent, session, policy }: Judges,
  call: CallRecord,
  tool: Tool,
  input: unknown,
  isHeldOn: boolean,
): Promise<GateOutcome | undefined> {
  const { ref } = session;
  const decision = await judge(agent, tool, input, session, policy);
  const audit = toAudit(decision, call.arguments);
  if (decision.behavior === 'deny') {
    const denied = textOutcome('denied', `Permission denied: ${decision.reason}`);
    return toOutcome(await store.calls.settle(ref, call.callId, resultMessage(call, denied), { audit }));
  }
  if (decision.behavior === 'allow') {
    const state = tool.isExternal ? ('submitted' as const) : ('allowed' as const);
    return toOutcome(
      await store.calls.move(
        ref,
        call.callId,
        { state, reason: decision.reason },
        {
          events: [{ kind: 'gate_answered', callId: call.callId, answer: 'allow', reason: decision.reason }],
          audit,
        },
      ),
    );
  }
  if (call.state === 'asking' || isHeldOn) return undefined;
  return toOutcome(await store.calls.move(ref, call.callId, { state: 'asking' }));
}
