// State of one session's workflow: pure, handlers delegate to it. Imports contracts only.
import type { SessionSnapshot } from '../contracts/activities.ts';
import { turnIdOf } from '../contracts/ids.ts';
import type { QueuedTurn, SessionCarry, SessionInput, Steer, Submission } from '../contracts/inputs.ts';
import { toActor } from './check-message.ts';
import type { SessionView, SubmitAnswer } from '../contracts/messages.ts';

/** Input ids remembered to recognize a repeat; the store knows them all. */
const seenLimit = 200;
/** Turns that may wait. A sender beyond it is told, and nothing is lost silently. */
const queueLimit = 1000;
/** Characters of JSON that the waiting turns may have together: they are carried over when the workflow continues as new. */
const queueSizeLimit = 1024 * 1024;

/** What to do with a submission. */
export type Admission =
  | { kind: 'answer'; answer: SubmitAnswer }
  | { kind: 'steer'; turnId: string; denyPending: boolean }
  | { kind: 'reject'; why: string };

export class SessionState {
  readonly #input: SessionInput;
  #carry: SessionCarry | undefined;
  #running: QueuedTurn | undefined;
  #queueSize = 0;

  constructor(input: SessionInput) {
    this.#input = input;
    if (input.carry) this.load(input.carry);
  }

  get isLoaded(): boolean {
    return this.#carry !== undefined;
  }
  get hasQueue(): boolean {
    return this.#carry !== undefined && this.#carry.queue.length > 0;
  }
  get runningTurnId(): string | undefined {
    return this.#running && turnIdOf(this.#input.ref, this.#running.turn);
  }
  get settings(): SessionCarry['settings'] {
    return this.#loaded.settings;
  }
  get queue(): QueuedTurn[] {
    return this.#loaded.queue;
  }
  get view(): SessionView {
    const running = this.runningTurnId;
    return {
      queued: (this.#carry?.queue ?? []).map(({ turn }) => turnIdOf(this.#input.ref, turn)),
      nextTurn: this.#carry?.nextTurn ?? 0,
      ...(running === undefined ? {} : { running }),
    };
  }

  load(snapshot: SessionSnapshot): void {
    this.#carry = snapshot;
    this.#queueSize = snapshot.queue.reduce((sum, queued) => sum + JSON.stringify(queued).length, 0);
  }

  /** What another run of this workflow needs to go on. */
  rotated(): SessionInput {
    return { ...this.#input, carry: this.#loaded };
  }

  /** Admits a submission: gives it its turn number, or says why not. A repeat gets the answer of the first. */
  admit(submission: Submission): Admission {
    const carry = this.#loaded;
    const seen = carry.seen.find(({ inputId }) => inputId === submission.id);
    if (seen)
      return { kind: 'answer', answer: { turnId: turnIdOf(this.#input.ref, seen.turn), status: 'repeated' } };

    const isBusy = this.#running !== undefined || carry.queue.length > 0;
    if (isBusy && submission.ifBusy === 'reject')
      return {
        kind: 'reject',
        why: `session ${this.#input.ref.sessionId} is busy with ${this.runningTurnId ?? 'queued turns'}`,
      };
    const { ifBusy } = submission;
    if (this.runningTurnId !== undefined && (ifBusy === 'steer' || ifBusy === 'deny')) {
      this.#remember(submission.id, this.#running?.turn ?? 0);
      return { kind: 'steer', turnId: this.runningTurnId, denyPending: ifBusy === 'deny' };
    }
    if (carry.queue.length >= queueLimit || this.#queueSize > queueSizeLimit)
      return {
        kind: 'reject',
        why: `session ${this.#input.ref.sessionId} has ${carry.queue.length} turns waiting, which is all it holds: submit again when some have ended`,
      };

    const turn = this.#enqueue(submission);
    this.#remember(submission.id, turn);
    return {
      kind: 'answer',
      answer: { turnId: turnIdOf(this.#input.ref, turn), status: isBusy ? 'queued' : 'started' },
    };
  }

  /** Forgets a submission that could not be delivered as a steer, so that it is admitted anew. */
  forget(inputId: string): void {
    this.#loaded.seen = this.#loaded.seen.filter((seen) => seen.inputId !== inputId);
  }

  startNext(): QueuedTurn | undefined {
    this.#running = this.#loaded.queue.shift();
    if (this.#running) this.#queueSize -= JSON.stringify(this.#running).length;
    return this.#running;
  }

  /** Makes room for the next turn; messages that came too late for the ended one become turns of their own. */
  turnEnded(lateSteers: readonly Steer[]): void {
    this.#running = undefined;
    for (const steer of lateSteers) this.#enqueue(steer);
  }

  get #loaded(): SessionCarry {
    if (!this.#carry) throw new Error('the session is not loaded yet');
    return this.#carry;
  }

  #enqueue({ id, input, actor, output }: Pick<Submission, 'id' | 'input' | 'actor' | 'output'>): number {
    const requester = toActor(actor)?.id;
    const turn = this.#loaded.nextTurn;
    const queued = {
      turn,
      inputId: id,
      input,
      ...(requester === undefined ? {} : { requester }),
      ...(output ? { output } : {}),
    };
    this.#loaded.nextTurn += 1;
    this.#loaded.queue.push(queued);
    this.#queueSize += JSON.stringify(queued).length;
    return turn;
  }

  #remember(inputId: string, turn: number): void {
    const carry = this.#loaded;
    carry.seen = [...carry.seen, { inputId, turn }].slice(-seenLimit);
  }
}
