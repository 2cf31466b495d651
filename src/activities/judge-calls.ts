import { outputToolName } from '../core/output-tool.ts';
import { redactArguments, scrubAll } from '../core/redact.ts';
import type { JudgedCall, PermissionPolicy } from '../core/permission.ts';
import { planBatches } from '../core/tool-batch.ts';
import type { ToolCallBlock, ToolResultState } from '../schema/message.ts';
import type { AuditDraft, CallDraft } from '../store/call-store.ts';
import type { MsgDraft, SessionRecord } from '../store/store.ts';
import { parseArguments } from '../tools/parse-arguments.ts';
import { unknownTool } from '../tools/tool-errors.ts';
import type { Tool } from '../tools/tool.ts';
import type { EquippedAgent } from './equip.ts';
import { isCoveredBy, judge, secretsOf } from './judge.ts';
import { resultMessage, textOutcome } from './result-message.ts';

export interface Judgement {
  agent: EquippedAgent;
  session: SessionRecord;
  policy: PermissionPolicy;
  /** The arguments of calls with secret fields, as the model wrote them. */
  rawOf(callId: string): string | undefined;
}

/** A call that is judged, with what the batch needs to know of it. */
interface Judged {
  draft: CallDraft;
  concurrencySafe: boolean;
  tool?: Tool;
  input?: unknown;
}

/**
 * Decides what becomes of each call of a message: a result at once (unknown, invalid, cut off, denied), a gate, or leave to run. A cut-off
 * message settles only what it broke: calls that arrived whole are judged as usual.
 */
export async function judgeCalls(
  judgement: Judgement,
  message: MsgDraft,
  calls: readonly ToolCallBlock[],
): Promise<CallDraft[]> {
  const judged = await Promise.all(calls.map((call) => judgeCall(judgement, message, call)));
  return planBatches(judged).flatMap(holdBack);
}

/** In a batch, an ask that an earlier one's suggested rules would settle waits for that one's answer: people are not asked twice. */
function holdBack(batch: readonly Judged[]): CallDraft[] {
  return batch.map(({ draft, tool, input }, i) => {
    if (draft.state !== 'asking' || draft.isSafety || !tool) return draft;
    const isCovered = batch
      .slice(0, i)
      .some(
        (earlier) =>
          earlier.draft.state === 'asking' && isCoveredBy(earlier.draft.suggestedRules ?? [], tool, input),
      );
    return isCovered ? { ...draft, state: 'held' } : draft;
  });
}

async function judgeCall(judgement: Judgement, message: MsgDraft, call: ToolCallBlock): Promise<Judged> {
  const { agent, session, policy } = judgement;
  const draft = { callId: call.id, name: call.name, arguments: call.arguments };
  const settled = (state: ToolResultState, text: string, decision?: JudgedCall): Judged => ({
    concurrencySafe: true,
    draft: {
      ...draft,
      state,
      reason: text,
      result: resultMessage({ ...message, callId: call.id, name: call.name }, textOutcome(state, text)),
      ...(decision ? { audit: toAudit(decision, draft.arguments) } : {}),
    },
  });
  if (message.finishReason === 'interrupted')
    return settled('interrupted', 'The model was interrupted before this call could run.');

  const tool = agent.toolByName.get(call.name);
  if (!tool) return settled('error', whyNoTool(agent, call.name));
  const sealed = judgement.rawOf(call.id);
  const parsed = await parseArguments(sealed ?? call.arguments, tool);
  if (!parsed.ok) {
    const cutOff = message.finishReason === 'length' ? 'The reply was cut off at its token limit. ' : '';
    return settled('error', cutOff + parsed.message);
  }

  // It acts on nothing: there is nothing to permit.
  if (tool.name === outputToolName) return settled('success', 'The answer is recorded.');

  const decision = await judge(agent, tool, parsed.input, session, policy);
  if (decision.behavior === 'deny')
    return settled('denied', `Permission denied: ${decision.reason}`, decision);
  const { suggestedRules, isSafety, reason } = decision;
  const secrets = secretsOf(tool, sealed ?? call.arguments);
  const question = decision.behavior === 'ask' ? scrubAll(tool.question?.(parsed.input), secrets) : undefined;
  const approval = tool.approval ?? agent.permissions.approval;
  const deadline = tool.deadline ?? agent.permissions.deadline;
  return {
    tool,
    input: parsed.input,
    concurrencySafe: tool.isConcurrencySafe(parsed.input),
    draft: {
      ...draft,
      state: decision.behavior === 'ask' ? 'asking' : tool.isExternal ? 'submitted' : 'allowed',
      audit: toAudit(decision, redactArguments(draft.arguments, tool.secrets ?? [])),
      ...(sealed === undefined ? {} : { sealed }),
      ...(decision.behavior === 'ask' ? { reason } : {}),
      ...(suggestedRules ? { suggestedRules } : {}),
      ...(isSafety ? { isSafety } : {}),
      ...(question ? { question } : {}),
      ...(approval ? { approval } : {}),
      ...(deadline ? { deadline } : {}),
    },
  };
}

function whyNoTool(
  { inactiveTools, toolByName, hiddenTools, toolGroups }: EquippedAgent,
  name: string,
): string {
  const group = inactiveTools.get(name);
  if (group !== undefined)
    return `${name} belongs to the group ${group}, which is not active: call reset_tools first, with ${group} among all groups that you need.`;
  const shown = [...toolByName.keys()].filter((known) => !hiddenTools.has(known));
  const others = Object.keys(toolGroups);
  const more = others.length > 0 ? ` Others come with a group (${others.join(', ')}), by reset_tools.` : '';
  return unknownTool(name, shown) + more;
}

export function toAudit({ behavior, decidedBy, reason, rule }: JudgedCall, args: string): AuditDraft {
  return { behavior, by: decidedBy, reason, arguments: args, ...(rule ? { rule } : {}) };
}
