// What happens at gates that nobody answered in time: pure, part of the turn's state. Imports core and contracts only.
import type { GateAnswer, NoticeGatesInput } from '../contracts/activities.ts';
import type { GateClock, TurnCall, TurnCarry } from '../contracts/inputs.ts';
import { isWaiting } from '../core/next-action.ts';

type Gates = Pick<TurnCarry, 'calls' | 'clocks'>;
type Notice = NoticeGatesInput['notices'][number];

interface Passed extends Gates {
  /** What people are to be told of. */
  notices: Notice[];
  /** Given in the place of who did not. */
  answers: GateAnswer[];
}

/** @param now milliseconds since the epoch. */
export function startClocks({ calls, clocks }: Gates, callIds: readonly string[], now: number): GateClock[] {
  return [
    // A call that reaches its next gate has that one's time, not what was left of the last one's.
    ...clocks.filter(({ callId }) => !callIds.includes(callId)),
    ...calls.flatMap(({ callId, deadline }) =>
      deadline && callIds.includes(callId) ? [{ callId, dueAt: now + deadline.afterMs }] : [],
    ),
  ];
}

/** When the next deadline of an open gate passes; undefined when none has one. */
export function nextDueAt(gates: Gates): number | undefined {
  const due = openClocks(gates).map(({ dueAt }) => dueAt);
  return due.length === 0 ? undefined : Math.min(...due);
}

/** Applies the deadlines that have passed. */
export function passDeadlines(gates: Gates, now: number): Passed {
  const open = openClocks(gates);
  const passed: Passed = {
    calls: gates.calls,
    clocks: open.filter(({ dueAt }) => dueAt > now),
    notices: [],
    answers: [],
  };
  for (const { callId, dueAt } of open)
    for (const call of passed.calls) if (call.callId === callId && dueAt <= now) pass(passed, call, now);
  return passed;
}

function pass(passed: Passed, call: TurnCall, now: number): void {
  const { callId, deadline, state } = call;
  if (!deadline) return;
  const { action, afterMs, escalateTo = {} } = deadline;
  const reason = `nobody answered within ${afterMs / 1000} s`;
  if (action === 'escalate') {
    passed.calls = passed.calls.map((other) => (other === call ? { ...call, approval: escalateTo } : other));
    passed.notices.push({ callId, kind: 'escalated' });
  } else if (action === 'deny' && state === 'asking') {
    passed.answers.push({ kind: 'confirm', isOverdue: true, answer: { callId, decision: 'deny', reason } });
  } else if (action === 'deny' && state === 'submitted') {
    const answer = { callId, state: 'error' as const, content: `No result: ${reason}.` };
    passed.answers.push({ kind: 'external', isOverdue: true, answer });
  } else {
    passed.notices.push({ callId, kind: 'overdue' });
    if (action === 'wait') passed.clocks.push({ callId, dueAt: now + afterMs });
  }
}

function openClocks({ calls, clocks }: Gates): GateClock[] {
  return clocks.filter(({ callId }) => calls.some((call) => call.callId === callId && isWaiting(call)));
}
