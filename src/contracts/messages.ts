import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { Requesters } from '../core/approval.ts';
import type { InboxAnswer, InboxMessage } from './inbox.ts';
import type {
  Answered,
  ExternalResult,
  Interrupt,
  Reconciliation,
  SentConfirmation,
  Steer,
  Submission,
  TurnCall,
  WorkerStart,
} from './inputs.ts';

/*
 * The wire for everything from outside. A signal never fails a workflow: what does not fit is recorded and ignored. Its update twin
 * has the same name, and a validator that rejects with the reason.
 */

/** To a session: an input that becomes a turn. */
export const submitSignal = defineSignal<[Submission]>('submit');
export const submitUpdate = defineUpdate<SubmitAnswer, [Submission]>('submit');

/** To a session: the turn of an input that it has taken, newest inputs only. */
export const takenQuery = defineQuery<string | undefined, [inputId: string]>('taken');

/** What became of a submission. */
export interface SubmitAnswer {
  turnId: string;
  status: 'started' | 'queued' | 'steered' | 'repeated';
}

/** To a turn, or to its session, which passes them on to the turn that runs. */
export const confirmSignal = defineSignal<[Answered<SentConfirmation>]>('confirm');
export const confirmUpdate = defineUpdate<string[], [Answered<SentConfirmation>]>('confirm');
export const externalResultSignal = defineSignal<[Answered<ExternalResult>]>('externalResult');
export const externalResultUpdate = defineUpdate<string[], [Answered<ExternalResult>]>('externalResult');
export const reconcileSignal = defineSignal<[Answered<Reconciliation>]>('reconcile');
export const reconcileUpdate = defineUpdate<string[], [Answered<Reconciliation>]>('reconcile');
export const interruptSignal = defineSignal<[Interrupt]>('interrupt');
export const interruptUpdate = defineUpdate<void, [Interrupt]>('interrupt');
/** A user message that the running turn takes in before its next model call. A session without a running turn makes it a turn. */
export const steerSignal = defineSignal<[Steer]>('steer');
export const steerUpdate = defineUpdate<SubmitAnswer, [Steer]>('steer');

/** To a session: a message of another one, or of the runtime. It is taken in before the next model call; an idle session begins a turn. */
export const teamMessageSignal = defineSignal<[InboxMessage]>('teamMessage');
export const teamMessageUpdate = defineUpdate<InboxAnswer, [InboxMessage]>('teamMessage');
/** To a leader's session: starts a worker's session as its child. Answers when it runs; one that runs already is left alone. */
export const startWorkerUpdate = defineUpdate<void, [WorkerStart]>('startWorker');
/** To a worker's session: ends it. Answers when its turn has ended and what came of it has been told; what waits is dropped. */
export const endUpdate = defineUpdate<void, [Interrupt]>('end');
/** From a session to its turn that runs: what came into the inbox meanwhile. */
export const inboxSignal = defineSignal<[InboxMessage[]]>('inbox');

/**
 * To the workflow that submitted a turn with `replyTo`: it has ended. One signal for each input, so that whoever waits for one need not
 * share a handler with others.
 */
export function turnEndedSignal(inputId: string) {
  return defineSignal<[{ turnId: string; requesters?: Requesters }]>(`turnEnded:${inputId}`);
}

export interface SessionView {
  running?: string;
  queued: string[];
  nextTurn: number;
}
export const sessionQuery = defineQuery<SessionView>('session');

export interface TurnView {
  step: number;
  run: number;
  calls: TurnCall[];
  /** Who wrote into it so far. */
  requesters: Requesters;
}
export const turnQuery = defineQuery<TurnView>('turn');
