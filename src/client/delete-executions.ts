import { sessionWorkflowId, turnIdOf, type SessionRef } from '../contracts/ids.ts';
import type { ClientContext } from './temporal-client.ts';

const deletedAtOnce = 20;

/**
 * Deletes what Temporal keeps of a session's ended runs: inputs, answers, previews. As far as it lists them, which lags a little, and lets this
 * client do so: the rest goes with the namespace's retention.
 */
export async function deleteExecutions({ temporal }: ClientContext, ref: SessionRef): Promise<void> {
  const turns = turnIdOf(ref, 0).slice(0, -1);
  const query = `WorkflowId = "${sessionWorkflowId(ref)}" OR WorkflowId STARTS_WITH "${turns}"`;
  const { namespace } = temporal.options;
  // A cluster may allow no deletion, or know no such query. What must go, and what the caller is told of, is in the store.
  const refused = () => undefined;
  const remove = ({ workflowId, runId }: { workflowId: string; runId: string }) =>
    temporal.workflowService
      .deleteWorkflowExecution({ namespace, workflowExecution: { workflowId, runId } })
      .catch(refused);
  const removeAll = async () => {
    let some: Promise<unknown>[] = [];
    for await (const execution of temporal.workflow.list({ query })) {
      some.push(remove(execution));
      if (some.length < deletedAtOnce) continue;
      await Promise.all(some);
      some = [];
    }
    await Promise.all(some);
  };
  await removeAll().catch(refused);
}
