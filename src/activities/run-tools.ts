import { Context } from '@temporalio/activity';
import type { CallChange, StepActivities } from '../contracts/activities.ts';
import { CallRun, turnLedger, type Batch } from './call-run.ts';
import type { ActivityDeps } from './deps.ts';
import { equip } from './equip.ts';
import { policyOf } from './policy.ts';
import { isCancelRequested, stopFailure, whileBeating } from './liveness.ts';
import { toChange } from './task-registry.ts';
import { toFailure } from './to-failure.ts';

/**
 * Runs the calls of one batch side by side. Each has its own ledger entry: what an earlier attempt committed is returned, what it began is
 * run again only where that can't act twice, else it becomes uncertain.
 */
export async function runTools(
  deps: ActivityDeps,
  input: Parameters<StepActivities['runTools']>[0],
): Promise<CallChange[]> {
  const { attempt } = Context.current().info;
  try {
    const agent = await equip(deps, deps.agents.get(input.agent), input.ref);
    const before = await deps.store.calls.dispatch(input.ref, input.callIds);
    const session = await deps.store.sessions.open(input.ref, input.agent);
    const batch: Batch = {
      deps,
      address: input,
      agent,
      session,
      policy: await policyOf(deps, agent, session),
      ledger: turnLedger(deps.store, input.ref),
    };
    const done = new Set<string>();
    const records = await whileBeating(
      () => ({ step: input.step, done: done.size, of: before.length }),
      (signal) =>
        Promise.all(
          before.map(async (record) => {
            const after = await new CallRun(batch, record, signal).perform();
            done.add(record.callId);
            return after;
          }),
        ),
    );
    if (isCancelRequested()) throw stopFailure();
    return records.map(toChange);
  } catch (error) {
    if (Context.current().cancellationSignal.aborted) throw stopFailure();
    throw toFailure(error, attempt, Number.POSITIVE_INFINITY);
  }
}
