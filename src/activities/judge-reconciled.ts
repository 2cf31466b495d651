import type { CallRecord } from '../store/call-store.ts';
import { parseArguments } from '../tools/parse-arguments.ts';
import { judge } from './judge.ts';
import { toAudit } from './judge-calls.ts';
import { resultMessage, textOutcome } from './result-message.ts';
import type { Judges } from './settle-siblings.ts';

/**
 * Decides by today's rules whether a call runs that did not happen when it was begun: what people allowed was that attempt, and rules may
 * have changed since. It runs, is denied, or asks anew.
 */
export async function judgeReconciled(
  { store, agent, session, policy }: Judges,
  call: CallRecord,
): Promise<CallRecord> {
  const { ref } = session;
  const { callId } = call;
  const tool = agent.toolByName.get(call.name);
  const parsed = tool && (await parseArguments(call.sealed ?? call.arguments, tool));
  // A tool that is gone, or takes something else by now: the run finds out, and tells the model.
  if (!tool || !parsed?.ok) return store.calls.move(ref, callId, { state: 'allowed' });

  const decision = await judge(agent, tool, parsed.input, session, policy);
  const { behavior, reason, suggestedRules = [], isSafety = false } = decision;
  const audit = toAudit(decision, call.arguments);
  switch (behavior) {
    case 'deny':
      return store.calls.settle(
        ref,
        callId,
        resultMessage(call, textOutcome('denied', `Permission denied: ${reason}`)),
        { audit },
      );
    case 'ask':
      return store.calls.move(
        ref,
        callId,
        { state: 'asking', reason, suggestedRules, isSafety, votes: [] },
        { audit },
      );
    default:
      return store.calls.move(ref, callId, { state: 'allowed' }, { audit });
  }
}
