// The inbox of one session's workflow: pure, part of its state. Imports contracts only.
import { inboxLimit, type InboxMessage } from '../contracts/inbox.ts';

/** Ids remembered to recognize a repeat; the store knows all that were taken in. */
const seenLimit = 500;

/** Messages in the order of their arrival: those that wait, and those that were handed to the turn that runs. */
export class Inbox {
  #waiting: InboxMessage[];
  /** Until the turn ends nobody knows which of them it took in. */
  #handed: InboxMessage[] = [];
  #seen: string[];
  #isClosed = false;
  /** The turn that runs is known to have taken some in. */
  #hasTaken = false;

  constructor(waiting: readonly InboxMessage[], seen: readonly string[]) {
    this.#waiting = [...waiting];
    this.#seen = [...seen];
  }

  get hasWaiting(): boolean {
    return this.#waiting.length > 0;
  }
  get waiting(): InboxMessage[] {
    return this.#waiting;
  }
  get handed(): InboxMessage[] {
    return this.#handed;
  }
  get seen(): string[] {
    return this.#seen;
  }

  take(message: InboxMessage): 'taken' | 'repeated' | 'full' {
    if (this.#seen.includes(message.id)) return 'repeated';
    if (this.#isClosed) return 'full';
    const all = [...this.#handed, ...this.#waiting, message];
    const characters = all.reduce((sum, one) => sum + JSON.stringify(one).length, 0);
    if (all.length > inboxLimit.messages || characters > inboxLimit.characters) return 'full';
    this.#waiting.push(message);
    this.#seen = [...this.#seen, message.id].slice(-seenLimit);
    return 'taken';
  }

  /** Takes out the oldest message: it begins a turn. */
  shift(): InboxMessage | undefined {
    const first = this.#waiting.shift();
    if (first) this.#handed.push(first);
    return first;
  }

  /** Takes out all that wait, for the turn that runs. */
  handOver(): InboxMessage[] {
    const batch = this.#waiting;
    this.#waiting = [];
    this.#handed.push(...batch);
    return batch;
  }

  /** These did not reach the turn. */
  takeBack(batch: readonly InboxMessage[]): void {
    this.#handed = this.#handed.filter((message) => !batch.includes(message));
    this.#waiting = [...batch, ...this.#waiting];
  }

  /** The turn took these in: they make room. */
  wereTaken(ids: readonly string[]): void {
    this.#handed = this.#handed.filter(({ id }) => !ids.includes(id));
    this.#hasTaken ||= ids.length > 0;
  }

  /** What waits is dropped, and nothing more is taken. */
  close(): void {
    this.#waiting = [];
    this.#isClosed = true;
  }
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** @param late those that the turn did not take in; undefined when nobody knows: then all come again, and the store knows repeats. @returns whether it took in any. */
  turnEnded(late: readonly InboxMessage[] | undefined): { hadMessages: boolean } {
    const known = late?.map(({ id }) => id);
    const hadMessages = this.#hasTaken || this.#handed.length > (known?.length ?? 0);
    const again = this.#handed.filter(({ id }) => known === undefined || known.includes(id));
    this.#waiting = this.#isClosed ? [] : [...again, ...this.#waiting];
    this.#handed = [];
    this.#hasTaken = false;
    return { hadMessages };
  }
}
