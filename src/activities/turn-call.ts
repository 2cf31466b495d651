import type { Agent } from '../agents/agent.ts';
import type { TurnCall } from '../contracts/inputs.ts';
import type { GateCall } from '../schema/event.ts';
import type { CallRecord } from '../store/call-store.ts';
import { parseArguments } from '../tools/parse-arguments.ts';

const reasonLength = 500;

/** A ledger row as the workflow carries it. */
export async function toTurnCall(agent: Agent, record: CallRecord): Promise<TurnCall> {
  const tool = agent.toolByName.get(record.name);
  const parsed = tool ? await parseArguments(record.sealed ?? record.arguments, tool) : undefined;
  const { approval, deadline } = record;
  return {
    callId: record.callId,
    name: record.name,
    state: record.state,
    // A call that has its result already parts no batch.
    concurrencySafe: tool === undefined || !parsed?.ok || tool.isConcurrencySafe(parsed.input),
    returnDirect: tool?.returnDirect ?? false,
    timeoutMs: (tool?.timeoutMs ?? 0) + (tool?.waitMs ?? 0),
    ...(tool?.question ? { isQuestion: true } : {}),
    ...(record.reason === undefined ? {} : { reason: record.reason.slice(0, reasonLength) }),
    ...(approval ? { approval } : {}),
    ...(deadline ? { deadline } : {}),
    ...(tool?.backgroundAfterMs === undefined ? {} : { backgroundAfterMs: tool.backgroundAfterMs }),
    ...(tool?.subagent ? { child: { breadth: tool.subagent.limits.breadth } } : {}),
  };
}

/** A ledger row as a gate shows it to people and systems. */
export function toGateCall(record: CallRecord): GateCall {
  const { callId, name, arguments: args, reason, suggestedRules, isSafety, question } = record;
  return {
    callId,
    name,
    arguments: args,
    ...(reason === undefined ? {} : { reason }),
    ...(suggestedRules ? { suggestedRules } : {}),
    ...(isSafety ? { isSafety } : {}),
    ...(question ? { question } : {}),
  };
}
