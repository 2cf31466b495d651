// Workflow code: calls that are turns of other agents, which their turn waits for. Imports core, contracts and @temporalio/workflow only.
import { CancellationScope, ParentClosePolicy, startChild } from '@temporalio/workflow';
import { TypedSearchAttributes } from '@temporalio/common';
import type { CallChange } from '../contracts/activities.ts';
import { turnIdOf } from '../contracts/ids.ts';
import type { ChildTurn, TurnCall, TurnInput, TurnResult } from '../contracts/inputs.ts';
import { interruptSignal } from '../contracts/messages.ts';
import { searchAttributes } from '../contracts/search-attributes.ts';
import { store } from './activity-proxies.ts';
import { outcomeOf } from './turn-outcome.ts';
import type { TurnState } from './turn-state.ts';

/** By its name: this file is part of it. */
type AgentTurn = (input: TurnInput) => Promise<TurnResult>;

/** Runs them side by side, as many at once as the narrowest of them permits. */
export async function runSubagents(
  turn: TurnState,
  calls: readonly TurnCall[],
  hasSearchAttributes: boolean,
): Promise<CallChange[]> {
  const width = Math.min(...calls.map(({ child }) => child?.breadth ?? 1));
  const waiting = [...calls];
  const changes: CallChange[] = [];
  const work = async (): Promise<void> => {
    for (let call = waiting.shift(); call; call = waiting.shift())
      changes.push(await runChild(turn, call, hasSearchAttributes));
  };
  await allEnded(Array.from({ length: Math.min(width, calls.length) }, work));
  return changes;
}

/** Resolves, or rejects with the first failure, when none of them runs any more. */
export async function allEnded<T>(work: readonly Promise<T>[]): Promise<T[]> {
  const ended = await Promise.allSettled(work);
  return ended.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
}

async function runChild(turn: TurnState, call: TurnCall, hasSearchAttributes: boolean): Promise<CallChange> {
  const { callId } = call;
  const opened = await store.openSubagent({ ...turn.address, callId, ...turn.tokensLeft });
  if (opened.kind === 'settled') return opened.change;
  const { child } = opened;
  const result = await outcomeOf(() => runTurn(turn, child, hasSearchAttributes));
  turn.childEnded(result);
  const isStopping = CancellationScope.current().consideredCancelled;
  return CancellationScope.nonCancellable(() =>
    store.closeSubagent({ ...turn.address, callId, child, result, isStopping }),
  );
}

/** It is told of an interrupt, and ends by itself: what it has said stays, and what is below it ends in the same way. */
async function runTurn(turn: TurnState, child: ChildTurn, hasSearchAttributes: boolean): Promise<TurnResult> {
  const scope = CancellationScope.current();
  if (scope.consideredCancelled) await scope.cancelRequested;
  return CancellationScope.nonCancellable(async () => {
    const handle = await startChild<AgentTurn>('agentTurn', childOptions(child, hasSearchAttributes));
    let hasEnded = false;
    scope.cancelRequested.catch(() => {
      const reason = turn.interruptReason ?? 'the turn that asked for it was cancelled';
      if (!hasEnded) handle.signal(interruptSignal, { reason }).catch(() => undefined);
    });
    try {
      return await handle.result();
    } finally {
      hasEnded = true;
    }
  });
}

function childOptions({ inputId, ...child }: ChildTurn, hasSearchAttributes: boolean) {
  const { ref, turn, agent } = child;
  return {
    workflowId: turnIdOf(ref, turn),
    args: [{ ...child, inputId, hasSearchAttributes }] as [TurnInput],
    staticSummary: `${agent} · subagent ${ref.sessionId}`,
    // Nobody else waits for it.
    parentClosePolicy: ParentClosePolicy.TERMINATE,
    ...(hasSearchAttributes
      ? {
          typedSearchAttributes: new TypedSearchAttributes([
            { key: searchAttributes.owner, value: ref.owner },
            { key: searchAttributes.agent, value: agent },
            { key: searchAttributes.session, value: ref.sessionId },
            { key: searchAttributes.state, value: 'running' },
            { key: searchAttributes.gates, value: 0 },
          ]),
        }
      : {}),
  };
}
