// State of one session's workflow: pure, handlers delegate to it. Imports contracts only.
import type { SessionSnapshot } from '../contracts/activities.ts';
import { turnIdOf, type SessionRef } from '../contracts/ids.ts';
import { inboxKey, type InboxMessage } from '../contracts/inbox.ts';
import { isMessage } from '../contracts/inputs.ts';
import type {
  QueuedTurn,
  SessionCarry,
  SessionControl,
  SessionInput,
  Steer,
  Submission,
  SubmittedInput,
} from '../contracts/inputs.ts';
import { toActor } from '../core/approval.ts';
import type { SessionView, SubmitAnswer } from '../contracts/messages.ts';
import { Inbox } from './inbox.ts';

/** Input ids remembered to recognize a repeat; the store knows them all. */
const seenLimit = 200;
/** Turns that may wait. A sender beyond it is told, and nothing is lost silently. */
const queueLimit = 1000;
/** Characters of JSON that the waiting turns may have together: they are carried over when the workflow continues as new. */
const queueSizeLimit = 1024 * 1024;

/** Who looks after what goes on does so ever more rarely, up to this. */
const longestRestMs = 600_000;
const shortestRestMs = 500;

/** What to do with a submission. */
export type Admission =
  | { kind: 'answer'; answer: SubmitAnswer }
  | { kind: 'steer'; turnId: string; denyPending: boolean }
  | { kind: 'reject'; why: string };

export class SessionState {
  readonly #input: SessionInput;
  #carry: SessionCarry | undefined;
  #running: QueuedTurn | undefined;
  #hasBegun = false;
  #inbox = new Inbox([], []);
  #isEnding = false;
  #isConcluding = false;
  #looks = 0;
  #queueSize = 0;

  constructor(input: SessionInput) {
    this.#input = input;
    if (input.carry) this.load(input.carry);
  }

  get ref(): SessionRef {
    return this.#input.ref;
  }
  get isLoaded(): boolean {
    return this.#carry !== undefined;
  }
  /** Something waits to become a turn. */
  get hasWork(): boolean {
    return this.#carry !== undefined && (this.#carry.queue.length > 0 || this.#inbox.hasWaiting);
  }
  /** It is not known yet whether a turn runs, or a turn is known that can't be reached yet. */
  get isBeginning(): boolean {
    return this.#carry === undefined || (this.#running ? !this.#hasBegun : this.hasWork);
  }
  /** A turn runs, or what came of it is not told yet. */
  get isBusy(): boolean {
    return this.#running !== undefined || this.#isConcluding;
  }
  get isEnding(): boolean {
    return this.#isEnding;
  }
  get inbox(): Inbox {
    return this.#inbox;
  }
  get runningTurnId(): string | undefined {
    return this.#running && turnIdOf(this.#input.ref, this.#running.turn);
  }
  get settings(): SessionCarry['settings'] {
    return this.#loaded.settings;
  }
  /** Its workflow stays, to notice when what it has begun is lost. */
  get isWatching(): boolean {
    return this.#loaded.isWatching === true;
  }
  /** How long it rests before it returns, or looks after what goes on. */
  get restMs(): number {
    const { lingerMs } = this.settings;
    return this.#looks === 0
      ? lingerMs
      : Math.min(longestRestMs, Math.max(lingerMs, shortestRestMs) * 2 ** this.#looks);
  }
  /** What is saved when the workflow is cancelled. The turn that ran may have taken in some of the messages: the store knows which. */
  get control(): SessionControl {
    const inbox = [...this.#inbox.handed, ...this.#inbox.waiting];
    return { queue: this.#loaded.queue, ...(inbox.length === 0 ? {} : { inbox }) };
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
    const { inbox = [], ...carry } = snapshot as SessionCarry;
    this.#carry = carry;
    this.#inbox = new Inbox(inbox, carry.seenMessages ?? []);
    this.#queueSize = snapshot.queue.reduce((sum, queued) => sum + JSON.stringify(queued).length, 0);
  }

  /** Nothing is in hand, and what comes waits until it is loaded again. */
  unload(): void {
    this.#carry = undefined;
  }

  /** What another run of this workflow needs to go on. */
  rotated(): SessionInput {
    const { waiting, seen } = this.#inbox;
    return {
      ...this.#input,
      carry: {
        ...this.#loaded,
        ...(waiting.length === 0 ? {} : { inbox: waiting }),
        ...(seen.length === 0 ? {} : { seenMessages: seen }),
      },
    };
  }

  /** Those that wait may be more than are remembered. */
  turnOfInput(inputId: string): string | undefined {
    const known = [...(this.#carry?.seen ?? []), ...(this.#carry?.queue ?? [])];
    const taken = known.find((one) => one.inputId === inputId);
    return taken && turnIdOf(this.#input.ref, taken.turn);
  }

  /** Admits a submission: gives it its turn number, or says why not. A repeat gets the answer of the first. */
  admit(submission: Submission): Admission {
    const carry = this.#loaded;
    const known = this.turnOfInput(submission.id);
    if (known !== undefined) return { kind: 'answer', answer: { turnId: known, status: 'repeated' } };

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

  /** A turn that waits is not wanted any more. */
  withdraw(turnId: string, why: string): void {
    const queued = this.#loaded.queue.find(({ turn }) => turnIdOf(this.#input.ref, turn) === turnId);
    if (queued) queued.withdrawn = why;
  }

  /** Forgets a submission that could not be delivered as a steer, so that it is admitted anew. */
  forget(inputId: string): void {
    this.#loaded.seen = this.#loaded.seen.filter((seen) => seen.inputId !== inputId);
  }

  /** The next turn, with the messages that it takes in first. What a user submitted goes before a turn that messages begin. */
  startNext(): (QueuedTurn & { messages?: InboxMessage[] }) | undefined {
    const queued = this.#loaded.queue.shift();
    if (queued) this.#queueSize -= JSON.stringify(queued).length;
    this.#running = queued ?? this.#beginByMessage();
    if (!this.#running) return undefined;
    this.#hasBegun = false;
    if (this.#running.withdrawn !== undefined) return this.#running;
    const messages = this.#inbox.handOver();
    return { ...this.#running, ...(messages.length === 0 ? {} : { messages }) };
  }

  /** The turn that runs can be reached. */
  turnBegan(): void {
    this.#hasBegun = true;
  }

  /**
   * Makes room for the next turn; what came too late for the ended one becomes a turn of its own.
   *
   * @param late what the turn did not take in; undefined when its workflow was ended from outside, and nobody knows.
   */
  turnEnded(late: readonly Steer[] | undefined): { hadMessages: boolean } {
    this.#running = undefined;
    const messages = late?.flatMap(({ input }) => messageOf(input) ?? []);
    const { hadMessages } = this.#inbox.turnEnded(messages);
    for (const steer of late ?? []) if (!messageOf(steer.input)) this.#enqueue(steer);
    return { hadMessages };
  }

  /** @param isWatching something goes on that it has begun; undefined where that was not asked for. */
  hasBegun(isWatching: boolean | undefined): void {
    this.#looks = 0;
    this.#loaded.isWatching = isWatching === true;
  }

  hasLooked(isWatching: boolean): void {
    this.#looks += 1;
    this.#loaded.isWatching = isWatching;
  }

  /** Messages that wait are dropped, and the session returns as soon as it is idle. */
  end(): void {
    this.#isEnding = true;
    this.#inbox.close();
  }

  /** Is busy until what came of a turn has been told. */
  async concluding(run: () => Promise<void>): Promise<void> {
    this.#isConcluding = true;
    try {
      await run();
    } finally {
      this.#isConcluding = false;
    }
  }

  get #loaded(): SessionCarry {
    if (!this.#carry) throw new Error('the session is not loaded yet');
    return this.#carry;
  }

  #beginByMessage(): QueuedTurn | undefined {
    const message = this.#inbox.shift();
    return message && { turn: this.#takeNumber(), inputId: inboxKey(message.id), input: { message } };
  }

  #takeNumber(): number {
    const turn = this.#loaded.nextTurn;
    this.#loaded.nextTurn += 1;
    return turn;
  }

  #enqueue({ id, input, actor, requesters, output, replyTo }: Submission): number {
    const requester = toActor(actor)?.id;
    const turn = this.#takeNumber();
    const queued = {
      turn,
      inputId: id,
      input,
      ...(requester === undefined ? {} : { requester }),
      ...(requesters ? { requesters } : {}),
      ...(output ? { output } : {}),
      ...(replyTo === undefined ? {} : { replyTo }),
    };
    this.#loaded.queue.push(queued);
    this.#queueSize += JSON.stringify(queued).length;
    return turn;
  }

  #remember(inputId: string, turn: number): void {
    const carry = this.#loaded;
    carry.seen = [...carry.seen, { inputId, turn }].slice(-seenLimit);
  }
}

function messageOf(input: SubmittedInput): InboxMessage | undefined {
  return isMessage(input) ? input.message : undefined;
}
