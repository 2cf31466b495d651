import type { CallChange, TurnAddress } from './activities.ts';
import type { Requesters } from '../core/approval.ts';
import type { SessionRef } from './ids.ts';
import type { ChildTurn, TurnOutcome } from './inputs.ts';

/** A call that goes on, or may go on, when its turn does not wait for it. Its id is the call's. */
export interface TaskInput extends TurnAddress {
  callId: string;
  /** The tool. */
  name: string;
  hasSearchAttributes: boolean;
  /** Who wrote into the turn of the call. */
  requesters?: Requesters;
  /** A turn of another agent, or the tool itself within its limit. */
  work: { kind: 'subagent'; child: ChildTurn } | { kind: 'tool'; step: number; timeoutMs: number };
}

export function taskWorkflowId(ref: SessionRef, taskId: string): string {
  return `task/${ref.owner}/${ref.sessionId}/${taskId}`;
}

/** What became of a task: of its call, and whether its result comes after that of the call, which was that it goes on. */
export interface EndedTask {
  change: CallChange;
  isLate: boolean;
}

type TaskAddress = TurnAddress & { callId: string };

/** Short store writes around tasks, run as local activities. */
export interface TaskStoreActivities {
  /** Settles the call: it goes on in the background. One that has its result already keeps it. */
  moveToBackground(
    input: TaskAddress & { name: string; taskSessionId?: string; requesters?: Requesters },
  ): Promise<CallChange>;
  /** Closes the turn of a task, and records its answer. */
  closeTask(input: TaskAddress & { child: ChildTurn; result: TurnOutcome }): Promise<EndedTask>;
  /** What is recorded of a task; where nothing is, because its work ended from outside, `why` is its failure. */
  endTask(input: TaskAddress & { why: string; isCancelled: boolean }): Promise<EndedTask>;
}

/** Long activities of a task. */
export interface TaskActivities {
  /** Runs the tool, and records its outcome. */
  runTask(input: TaskAddress & { step: number; requesters?: Requesters }): Promise<EndedTask>;
  /** Tells the session that began the task what it came to, by a message. */
  deliverTask(input: TaskAddress): Promise<void>;
}
