import type { Agent } from '../agents/agent.ts';
import type { SessionRef } from '../contracts/ids.ts';
import type { TurnCall } from '../contracts/inputs.ts';
import { decidePermission, type PermissionDecision } from '../core/permission.ts';
import type { ToolCallBlock, ToolResultState } from '../schema/message.ts';
import type { CallDraft, CallRecord, MsgDraft } from '../store/store.ts';
import { resultMessage, textOutcome } from './result-message.ts';
import { parseArguments } from '../tools/parse-arguments.ts';
import type { Tool } from '../tools/tool.ts';
import { describeError, unknownTool } from '../tools/tool-errors.ts';

/**
 * Decides what becomes of each call of a message: a result at once (unknown, invalid, cut off, denied), a gate, or leave to run. A cut-off
 * message settles only what it broke: calls that arrived whole are judged as usual.
 */
export async function judgeCalls(
  agent: Agent,
  ref: SessionRef,
  message: MsgDraft,
  calls: ToolCallBlock[],
): Promise<CallDraft[]> {
  return Promise.all(calls.map((call) => judgeCall(agent, ref, message, call)));
}

async function judgeCall(
  agent: Agent,
  ref: SessionRef,
  message: MsgDraft,
  call: ToolCallBlock,
): Promise<CallDraft> {
  const draft = { callId: call.id, name: call.name, arguments: call.arguments };
  const settled = (state: ToolResultState, text: string): CallDraft => ({
    ...draft,
    state,
    reason: text,
    result: resultMessage({ ...message, callId: call.id, name: call.name }, textOutcome(state, text)),
  });
  if (message.finishReason === 'interrupted')
    return settled('interrupted', 'The model was interrupted before this call could run.');

  const tool = agent.toolByName.get(call.name);
  if (!tool)
    return settled(
      'error',
      unknownTool(
        call.name,
        agent.tools.map(({ name }) => name),
      ),
    );
  const parsed = await parseArguments(call.arguments, tool);
  if (!parsed.ok) {
    const cutOff = message.finishReason === 'length' ? 'The reply was cut off at its token limit. ' : '';
    return settled('error', cutOff + parsed.message);
  }

  const decision = await decide(tool, parsed.input, ref);
  switch (decision.behavior) {
    case 'deny':
      return settled('denied', `Permission denied: ${decision.reason}`);
    case 'ask':
      return { ...draft, state: 'asking', reason: decision.reason };
    default:
      return { ...draft, state: tool.isExternal ? 'submitted' : 'allowed' };
  }
}

/** A tool whose own check fails is not run: nobody knows what it would have said. */
async function decide(tool: Tool, input: unknown, ref: SessionRef): Promise<PermissionDecision> {
  try {
    const check = await tool.checkPermission(input, ref);
    const isReadOnly = tool.isReadOnly(input);
    return decidePermission(
      { toolName: tool.name, isReadOnly, matches: () => false, ...(check ? { check } : {}) },
      { mode: 'default', rules: [] },
    );
  } catch (error) {
    return {
      behavior: 'deny',
      reason: `the permission check of ${tool.name} failed (${describeError(error)})`,
    };
  }
}

/** A ledger row as the workflow carries it. */
export async function toTurnCall(agent: Agent, record: CallRecord): Promise<TurnCall> {
  const tool = agent.toolByName.get(record.name);
  const parsed = tool ? await parseArguments(record.arguments, tool) : undefined;
  return {
    callId: record.callId,
    name: record.name,
    state: record.state,
    concurrencySafe: tool !== undefined && (!parsed?.ok || tool.isConcurrencySafe(parsed.input)),
    returnDirect: tool?.returnDirect ?? false,
    timeoutMs: tool?.timeoutMs ?? 0,
    ...(record.reason === undefined ? {} : { reason: record.reason.slice(0, 500) }),
  };
}
