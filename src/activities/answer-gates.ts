import type { Agent } from '../agents/agent.ts';
import type { AnswerGatesInput, GateOutcome } from '../contracts/activities.ts';
import { currentBatch, isExecutable } from '../core/next-action.ts';
import type { CallRecord } from '../store/call-store.ts';
import type { ActivityDeps } from './deps.ts';
import { equip } from './equip.ts';
import { GateAnswering } from './gate-answering.ts';
import { policyOf } from './policy.ts';
import { waitingForStore } from './sessions.ts';
import { settleSiblings, toOutcome } from './settle-siblings.ts';
import { toTurnCall } from './turn-call.ts';

/** A source that is not there in time goes on starting, and the answer is refused until then: all of this is a short local activity. */
const sourceLimitMs = 5_000;

/**
 * Commits each answer to its call, in order, and then judges the siblings again that they may settle or bring up. An answer that does not
 * fit is refused with the reason, and its call waits on.
 */
export async function answerGates(deps: ActivityDeps, input: AnswerGatesInput): Promise<GateOutcome[]> {
  const { store, agents } = deps;
  const { ref, turn, answers, nextRun } = input;
  return waitingForStore(async () => {
    const agent = await equip(deps, agents.get(input.agent), ref, { limitMs: sourceLimitMs });
    const outcomes = new Map<string, GateOutcome>();
    for (const answer of answers) {
      const session = await store.sessions.open(ref, input.agent);
      const answering = new GateAnswering(deps, agent, session, await policyOf(deps, agent, session));
      const outcome = await answering.apply(answer);
      outcomes.set(outcome.callId, outcome);
    }
    const session = await store.sessions.open(ref, input.agent);
    const calls = await callsOfStep(deps, input);
    const policy = await policyOf(deps, agent, session);
    await settleSiblings({ store, agent, session, policy }, calls);
    for (const call of await callsOfStep(deps, input)) {
      const known = input.calls.find(({ callId }) => callId === call.callId);
      if (known?.state !== call.state && !outcomes.has(call.callId))
        outcomes.set(call.callId, toOutcome(call));
    }

    await tellOfResumption(deps, agent, input, nextRun, turn);
    return [...outcomes.values()];
  });
}

async function callsOfStep(
  { store }: ActivityDeps,
  { ref, turn, calls }: AnswerGatesInput,
): Promise<CallRecord[]> {
  const records = await store.calls.ofTurn(ref, turn);
  return records.filter(({ callId }) => calls.some((call) => call.callId === callId));
}

/** The next run begins when a call can run, or none waits any more. */
async function tellOfResumption(
  deps: ActivityDeps,
  agent: Agent,
  input: AnswerGatesInput,
  nextRun: number,
  turn: number,
): Promise<void> {
  const calls = await callsOfStep(deps, input);
  const batch = currentBatch(await Promise.all(calls.map((call) => toTurnCall(agent, call))));
  if (batch && !batch.some(isExecutable)) return;
  const isAllDenied = calls.every(({ state }) => state === 'denied');
  await deps.store.turns.setState(input.ref, turn, 'running', [
    ...(isAllDenied
      ? [{ kind: 'all_tools_denied' as const, callIds: calls.map(({ callId }) => callId) }]
      : []),
    { kind: 'run_start', run: nextRun },
  ]);
}
