import type { FinishReason } from '../schema/message.ts';

/** How often a worker is told to report before its answer is sent as it is. */
export const maxReminders = 3;

export interface EndedWorkerTurn {
  finishReason: FinishReason;
  /** It told the leader something in this turn. */
  hasReported: boolean;
  /** The leader gave it something to do, and has had no word of it, or not the last one. */
  isOwing: boolean;
  /** It ended its turn to wait: for a team of its own, for what it has in the background, or for a reminder, which wake it again. */
  isGoingOn: boolean;
  /** Something waits in its inbox: another turn begins at once. */
  hasMore: boolean;
  /** Reminders since it reported last. */
  reminders: number;
  /** A budget of the team is used up: no turn may begin for a reminder. */
  isSpent: boolean;
}

/** What becomes of a worker's turn at the leader: it must never wait for ever. */
export type AfterWorkerTurn =
  /** Nothing more is owed. */
  | { kind: 'reported' }
  /** It is woken again without a word from anybody, and owes its report until then. */
  | { kind: 'waiting' }
  | { kind: 'remind'; reminder: number }
  /** Its answer goes to the leader by itself. */
  | { kind: 'answer' }
  /** The leader is told why it did not finish. */
  | { kind: 'failure' };

export function afterWorkerTurn(turn: EndedWorkerTurn): AfterWorkerTurn {
  if (isFailure(turn.finishReason)) return { kind: 'failure' };
  if (turn.isGoingOn || (turn.hasMore && !turn.hasReported)) return { kind: 'waiting' };
  if (turn.hasReported || !turn.isOwing) return { kind: 'reported' };
  if (turn.isSpent || turn.reminders >= maxReminders) return { kind: 'answer' };
  return { kind: 'remind', reminder: turn.reminders + 1 };
}

function isFailure(reason: FinishReason): boolean {
  return (
    reason === 'error' ||
    reason === 'interrupted' ||
    reason === 'max_iterations' ||
    reason === 'budget_exceeded' ||
    reason === 'acting_stop_requested' ||
    reason === 'reasoning_stop_requested'
  );
}

export function reminderText(leader: string, reminder: number): string {
  const rest = maxReminders - reminder;
  return `Your turn ended without a report to ${leader}, who waits for one: send it with team_say now. ${
    rest === 0 ? 'If you don’t, your answer is sent as it is.' : `You are reminded ${rest} more time(s).`
  }`;
}

const reasons: Partial<Record<FinishReason, string>> = {
  error: 'its turn failed',
  interrupted: 'it was interrupted',
  max_iterations: 'it reached its limit of steps',
  budget_exceeded: 'it used up its budget',
  acting_stop_requested: 'all of its calls were denied',
  reasoning_stop_requested: 'its turn was stopped',
};

/** What the leader reads of a worker that did not finish. */
export function failureText(
  worker: string,
  reason: FinishReason,
  why: string | undefined,
  words: string,
): string {
  const cause = why === undefined ? '' : `: ${why}`;
  const last = words.trim() === '' ? 'It left no answer.' : `Its last words:\n${words}`;
  return `[Told by the team, not by ${worker}] ${worker} did not finish: ${reasons[reason] ?? reason}${cause}.\n${last}`;
}

/** What the leader reads of a worker that finished and did not report. */
export function answerText(worker: string, words: string): string {
  const answer = words.trim() === '' ? '(it said nothing)' : words;
  return `[Told by the team, not by ${worker}] ${worker} ended its work without a report. Its final answer:\n${answer}`;
}
