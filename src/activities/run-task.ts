import { Context } from '@temporalio/activity';
import type { EndedTask, TaskActivities } from '../contracts/tasks.ts';
import { isSettled } from '../core/next-action.ts';
import type { SessionRef } from '../contracts/ids.ts';
import type { EventBody } from '../schema/event.ts';
import type { CallRecord } from '../store/call-store.ts';
import type { EventStore } from '../store/store.ts';
import { readTasks } from '../tasks/background-slot.ts';
import { errorOutcome } from '../tools/tool-errors.ts';
import { CallRun, type CallLedger } from './call-run.ts';
import type { ActivityDeps } from './deps.ts';
import { equipForCalls } from './equip-for-calls.ts';
import { policyOf } from './policy.ts';
import { isCancelRequested, stopFailure, whileBeating } from './liveness.ts';
import { settleOrRecord, taskMessageId, toChange } from './task-registry.ts';
import { toFailure } from './to-failure.ts';

type Input = Parameters<TaskActivities['runTask']>[0];

/** Runs one call that may go on in the background while it runs: what it comes to is its call's result, or its task's. */
export async function runTask(deps: ActivityDeps, input: Input): Promise<EndedTask> {
  const { store } = deps;
  const { ref, callId } = input;
  const { attempt } = Context.current().info;
  try {
    const session = await store.sessions.open(ref, input.agent);
    const known = await store.calls.get(ref, callId);
    const agent = await whileBeating(
      () => ({ step: input.step, equips: true }),
      (signal) =>
        equipForCalls(deps, deps.agents.get(input.agent), session, { calls: known ? [known] : [], signal }),
    );
    const [before] = await store.calls.dispatch(ref, [callId]);
    if (!before) throw new Error(`Call ${callId} is not in the store`);
    const task = (await readTasks(store, ref)).find(({ taskId }) => taskId === callId);
    if (task && task.state !== 'running') return { change: toChange(before), isLate: true };
    if (!task && isSettled(before)) return { change: toChange(before), isLate: false };

    const ledger = new TaskLedger(deps, input);
    const batch = {
      deps,
      address: input,
      agent,
      session,
      policy: await policyOf(deps, agent, session),
      ledger,
    };
    // One that was moved is settled in the ledger: how often it was begun is known here only.
    const call: CallRecord = isSettled(before)
      ? { ...before, state: 'allowed', isDispatched: attempt > 1, attempts: attempt - 1 }
      : before;
    const record = await whileBeating(
      () => ({ step: input.step }),
      (signal) => new CallRun(batch, call, signal).perform(),
    );
    if (isCancelRequested() && !ledger.ended) throw stopFailure();
    return ledger.ended ?? { change: toChange(record), isLate: false };
  } catch (error) {
    if (Context.current().cancellationSignal.aborted) throw stopFailure();
    throw toFailure(error, attempt, Number.POSITIVE_INFINITY);
  }
}

class TaskLedger implements CallLedger {
  readonly #deps: ActivityDeps;
  readonly #input: Input;
  ended: EndedTask | undefined;

  constructor(deps: ActivityDeps, input: Input) {
    this.#deps = deps;
    this.#input = input;
  }

  async settle(call: CallRecord, outcome: Parameters<CallLedger['settle']>[1]): Promise<CallRecord> {
    this.ended = await settleOrRecord(this.#deps.store, this.#input.ref, call, outcome);
    return { ...call, state: this.ended.change.state };
  }

  /** Once it was moved there is no gate left for a person to say what happened: the model is told instead. */
  async leaveUncertain(call: CallRecord, reason: string): Promise<CallRecord> {
    const { calls } = this.#deps.store;
    const { ref } = this.#input;
    const moved = await calls.move(ref, call.callId, { state: 'uncertain', reason });
    return moved.state === 'uncertain' ? moved : this.settle(call, errorOutcome(reason));
  }

  /** What it tells goes on under the task's own id once its call has a result. */
  readonly events: Pick<EventStore, 'appendEphemeral'> = {
    appendEphemeral: async (ref: SessionRef, turn: number, messageId: string, bodies: EventBody[]) => {
      const { events } = this.#deps.store;
      const stamps = await events.appendEphemeral(ref, turn, messageId, bodies);
      if (stamps.length > 0) return stamps;
      return events.appendEphemeral(ref, turn, taskMessageId(this.#input.callId), bodies, {
        isBackground: true,
      });
    },
  };
}
