// What the parts of a turn's state share: pure. Imports core and contracts only.
import { turnIdOf } from '../contracts/ids.ts';
import { inboxKey, type InboxMessage } from '../contracts/inbox.ts';
import { isMessage } from '../contracts/inputs.ts';
import type { Steer, TurnCall, TurnCarry, TurnError, TurnInput, TurnResult } from '../contracts/inputs.ts';
import { withRequester, withRequesters, type Actor, type Requesters } from '../core/approval.ts';
import { noUsage } from '../core/usage.ts';

/** Signals remembered to recognize a repeat. */
const seenLimit = 500;

/** Why a turn ends before its loop says so. */
export interface Stop {
  reason: TurnResult['finishReason'];
  why?: string;
  error?: TurnError;
}

/** What a turn carries from run to run, and what stopped it. */
export class TurnMemory {
  readonly turnId: string;
  #carry: TurnCarry;
  stop: Stop | undefined;

  constructor(input: TurnInput) {
    this.turnId = turnIdOf(input.ref, input.turn);
    this.#carry = input.carry ?? { ...emptyCarry, ...firstMessages(input.messages) };
    if (!input.carry) this.#addFirst(input);
  }

  get carry(): Readonly<TurnCarry> {
    return this.#carry;
  }

  set(change: Partial<TurnCarry>): void {
    this.#carry = { ...this.#carry, ...change };
  }

  /** Somebody wrote into the turn; undefined when they gave no name. */
  addRequester(id: Actor['id'] | undefined): void {
    this.set({ requesters: withRequester(this.#carry.requesters, id) });
  }

  /** Others are behind what the turn takes in; undefined when nobody knows who. */
  addRequesters(others: Requesters | undefined): void {
    this.set({ requesters: withRequesters(this.#carry.requesters, others) });
  }

  call(callId: string): TurnCall | undefined {
    return this.#carry.calls.find((call) => call.callId === callId);
  }

  /** True when a message of this id was taken in before; else it is from now on. */
  isRepeat(id: string | undefined): boolean {
    if (this.hasSeen(id)) return true;
    this.remember(id);
    return false;
  }

  hasSeen(id: string | undefined): boolean {
    return id !== undefined && this.#carry.seen.includes(id);
  }

  remember(id: string | undefined): void {
    if (id !== undefined) this.set({ seen: [...this.#carry.seen, id].slice(-seenLimit) });
  }

  #addFirst({ input, requester, requesters }: TurnInput): void {
    if (isMessage(input)) this.addRequesters(input.message.requesters);
    else if (requesters) this.addRequesters(requesters);
    else this.addRequester(requester);
  }

  /** These may be sent again. */
  forget(ids: readonly (string | undefined)[]): void {
    this.set({ seen: this.#carry.seen.filter((id) => !ids.includes(id)) });
  }
}

/** A message of the inbox as the turn takes it in. */
export function toSteer(message: InboxMessage): Steer {
  return { id: inboxKey(message.id), input: { message } };
}

function firstMessages(messages: readonly InboxMessage[] = []): Pick<TurnCarry, 'steers' | 'seen'> {
  const steers = messages.map(toSteer);
  return { steers, seen: steers.map(({ id }) => id) };
}

const emptyCarry: TurnCarry = {
  maxIterations: 0,
  modelName: '',
  stopsWhenAllDenied: false,
  run: 1,
  step: 0,
  iterations: 0,
  reply: 'none',
  calls: [],
  steers: [],
  isSummarized: false,
  usage: noUsage,
  preview: '',
  seen: [],
  announced: [],
  isPaused: false,
  votes: [],
  clocks: [],
  requesters: { known: [], hasUnknown: false },
};
