import { Context } from '@temporalio/activity';
import type { CallChange, StepActivities } from '../contracts/activities.ts';
import type { SessionRef } from '../contracts/ids.ts';
import type { CallRecord, CallStore } from '../store/call-store.ts';
import { NotInStoreError } from '../store/store-errors.ts';
import { CallMark } from './call-mark.ts';
import { CallRun, turnLedger, type Batch } from './call-run.ts';
import type { ActivityDeps } from './deps.ts';
import { equipForCalls } from './equip-for-calls.ts';
import { policyOf } from './policy.ts';
import { isCancelRequested, stopFailure, whileBeating } from './liveness.ts';
import { toChange } from './task-registry.ts';
import { toFailure } from './to-failure.ts';

type Input = Parameters<StepActivities['runTools']>[0];

/**
 * Runs the calls of one batch side by side. Each has its own ledger entry: what an earlier attempt committed is returned, what it began is
 * run again only where that can't act twice, else it becomes uncertain.
 */
export async function runTools(deps: ActivityDeps, input: Input): Promise<CallChange[]> {
  const { attempt } = Context.current().info;
  const { calls } = deps.store;
  try {
    const session = await deps.store.sessions.open(input.ref, input.agent);
    const listed = await read(calls, input);
    const agent = await whileBeating(
      () => ({ step: input.step, equips: true }),
      (signal) => equipForCalls(deps, deps.agents.get(input.agent), session, { calls: listed, signal }),
    );
    // What a worker died of is counted before it is tried again.
    const before = attempt > 1 ? await calls.dispatch(input.ref, input.callIds) : listed;
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
            const mark = attempt > 1 ? undefined : markOf(calls, input.ref, record);
            const after = await new CallRun(batch, record, signal, mark).perform();
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

function read(calls: CallStore, { ref, callIds }: Input): Promise<CallRecord[]> {
  return Promise.all(callIds.map(async (callId) => found(await calls.get(ref, callId), callId)));
}

function markOf(calls: CallStore, ref: SessionRef, { callId }: CallRecord): CallMark {
  return new CallMark(async () => found((await calls.dispatch(ref, [callId]))[0], callId));
}

function found(call: CallRecord | undefined, callId: string): CallRecord {
  if (!call) throw new NotInStoreError(`Call ${callId}`, 'commit its step first');
  return call;
}
