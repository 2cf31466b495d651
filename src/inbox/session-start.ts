import { sessionWorkflowId, type SessionRef } from '../contracts/ids.ts';
import type { SessionInput } from '../contracts/inputs.ts';

/**
 * How the workflow of a session is started, whoever needs it: with this, all meet the same one.
 *
 * @param mustExist the session was there: if it is gone it was erased, and must not come back.
 */
export function sessionStart(
  ref: SessionRef,
  { agent, taskQueue, mustExist = false }: { agent: string; taskQueue: string; mustExist?: boolean },
) {
  const input: SessionInput = { ref, agent, ...(mustExist ? { mustExist } : {}) };
  return {
    workflowId: sessionWorkflowId(ref),
    taskQueue,
    args: [input] as [SessionInput],
    staticSummary: `${agent} · session ${ref.sessionId} of ${ref.owner}`,
  };
}
