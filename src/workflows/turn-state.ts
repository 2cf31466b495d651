// State of one turn's workflow: pure, handlers delegate to it. Imports core and contracts only.
import type {
  CallChange,
  GateAnswer,
  GateOutcome,
  ModelDigest,
  OpenedTurn,
  TurnAddress,
} from '../contracts/activities.ts';
import { turnIdOf } from '../contracts/ids.ts';
import type {
  Answered,
  Interrupt,
  Steer,
  TurnCall,
  TurnCarry,
  TurnError,
  TurnInput,
  TurnResult,
} from '../contracts/inputs.ts';
import { resultMessageId } from '../core/message-ids.ts';
import { nextAction, type CallState, type NextAction } from '../core/next-action.ts';
import { addUsage, noUsage } from '../core/usage.ts';
import { whyNoAnswer, whyNoAnswers, whyNoInput } from './check-message.ts';

/** Signals remembered to recognize a repeat. */
const seenLimit = 500;
/** Steers that may wait for the next model call. */
const steerLimit = 50;

/** Which state a call must be in to take an answer of this kind. */
const answerable: Record<GateAnswer['kind'], CallState> = {
  confirm: 'asking',
  external: 'submitted',
  reconcile: 'uncertain',
};

export class TurnState {
  readonly address: TurnAddress;
  readonly turnId: string;
  readonly #input: TurnInput;
  #carry: TurnCarry;
  #answers: GateAnswer[] = [];
  /** What became of answers, by call, for update handlers that wait for it. */
  readonly #outcomes = new Map<string, GateOutcome>();
  #stop: { reason: TurnResult['finishReason']; why?: string; error?: TurnError } | undefined;
  /** Nothing runs: the turn waits for an answer. */
  isAtGate = false;
  /** Called once when an interrupt arrives, to cancel what runs. */
  onInterrupt: (() => void) | undefined;

  constructor(input: TurnInput) {
    this.#input = input;
    this.address = { ref: input.ref, turn: input.turn, agent: input.agent };
    this.turnId = turnIdOf(input.ref, input.turn);
    this.#carry = input.carry ?? {
      maxIterations: 0,
      modelName: '',
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
    };
  }

  get view(): Readonly<TurnCarry> {
    return this.#carry;
  }
  get nextStep(): number {
    return this.#carry.step + 1;
  }
  get isInterrupted(): boolean {
    return this.#stop?.reason === 'interrupted';
  }
  get hasNews(): boolean {
    return this.#stop !== undefined || this.#answers.length > 0;
  }
  get hasAnswers(): boolean {
    return this.#answers.length > 0;
  }

  /** What another run of this workflow needs to go on. */
  rotated(): TurnInput {
    return { ...this.#input, input: '', carry: this.#carry };
  }

  next(): NextAction<TurnCall> {
    return nextAction({
      ...this.#carry,
      hasSteers: this.#carry.steers.length > 0,
      ...(this.#stop ? { stopReason: this.#stop.reason } : {}),
    });
  }

  opened(opened: OpenedTurn): void {
    this.#set({ maxIterations: opened.maxIterations, modelName: opened.modelName });
  }

  /** The steers that the next model call takes in. */
  steersForCall(): Steer[] {
    return this.#carry.steers;
  }

  modelCalled(digest: ModelDigest, isSummary: boolean, taken: readonly Steer[]): void {
    this.#set({
      step: this.nextStep,
      iterations: this.#carry.iterations + (isSummary ? 0 : 1),
      isSummarized: this.#carry.isSummarized || isSummary,
      reply: digest.reply,
      calls: digest.calls,
      steers: this.#carry.steers.filter((steer) => !taken.includes(steer)),
      usage: addUsage(this.#carry.usage, digest.usage),
      preview: digest.preview === '' ? this.#carry.preview : digest.preview,
      announced: [],
      ...(digest.reply === 'text' || digest.reply === 'structured'
        ? { replyMessageId: digest.messageId }
        : {}),
    });
  }

  callsChanged(changes: readonly CallChange[]): void {
    const byId = new Map(changes.map((change) => [change.callId, change]));
    this.#set({
      calls: this.#carry.calls.map((call) => {
        const change = byId.get(call.callId);
        if (!change) return call;
        return {
          ...call,
          state: change.state,
          ...(change.reason === undefined ? {} : { reason: change.reason }),
        };
      }),
      // A call that reaches another gate (allowed, then uncertain) is announced again.
      announced: this.#carry.announced.filter((id) => !byId.has(id)),
    });
  }

  unannounced(waiting: readonly TurnCall[]): string[] {
    return waiting.map((call) => call.callId).filter((id) => !this.#carry.announced.includes(id));
  }

  gatesOpened(callIds: readonly string[], isPaused: boolean): void {
    this.#set({
      announced: [...this.#carry.announced, ...callIds],
      isPaused: this.#carry.isPaused || isPaused,
    });
  }

  /** Answers that are not applied yet. */
  get answers(): GateAnswer[] {
    return [...this.#answers];
  }

  answersApplied(outcomes: readonly GateOutcome[]): void {
    for (const outcome of outcomes) this.#outcomes.set(outcome.callId, outcome);
    this.#answers = this.#answers.filter(({ answer }) => !this.#outcomes.has(answer.callId));
    this.callsChanged(outcomes.filter((outcome) => outcome.rejected === undefined));
    if (this.#carry.isPaused && this.next().kind !== 'wait')
      this.#set({ run: this.#carry.run + 1, isPaused: false });
  }

  /** What became of this call's answer; undefined while it is under way. */
  outcomeOf(callId: string): GateOutcome | undefined {
    return this.#outcomes.get(callId);
  }

  fail(error: TurnError): void {
    this.#stop ??= { reason: 'error', error };
  }

  interrupt(interrupt: Interrupt): void {
    if (this.#isRepeat(interrupt.id) || this.#stop) return;
    this.#stop = { reason: 'interrupted', why: interrupt.reason ?? 'interrupted' };
    this.onInterrupt?.();
  }

  /** Takes in a user message for the next model call; a repeat or one too many is dropped. */
  steer(steer: Steer): void {
    if (whyNoInput(steer) !== undefined || this.#carry.steers.length >= steerLimit) return;
    if (this.#isRepeat(steer.id)) return;
    this.#set({ steers: [...this.#carry.steers, steer] });
  }

  /** Keeps the answers that fit, drops the rest: a wrong signal changes nothing. */
  answer<T extends { callId: string }>(kind: GateAnswer['kind'], answered: Answered<T>): string[] {
    if (whyNoAnswers(answered) !== undefined || this.#hasSeen(answered.id)) return [];
    const taken: string[] = [];
    for (const answer of answered.results) {
      if (this.whyNot(kind, answer) !== undefined) continue;
      this.#outcomes.delete(answer.callId);
      const actor = answered.actor === undefined ? {} : { actor: answered.actor };
      this.#answers.push({ kind, answer, ...actor } as unknown as GateAnswer);
      taken.push(answer.callId);
    }
    // What did not fit may be sent again when it does.
    if (taken.length > 0) this.#remember(answered.id);
    return taken;
  }

  /** Why one of these answers does not fit; undefined when all do, or when they were taken before. */
  whyNotAny<T extends { callId: string }>(
    kind: GateAnswer['kind'],
    answered: Answered<T>,
  ): string | undefined {
    if (this.#hasSeen(answered.id)) return undefined;
    return answered.results.map((answer) => this.whyNot(kind, answer)).find((reason) => reason !== undefined);
  }

  /** Why an answer of this kind does not fit; undefined when it does. */
  whyNot(kind: GateAnswer['kind'], given: { callId: string }): string | undefined {
    const malformed = whyNoAnswer(kind, given);
    if (malformed !== undefined) return malformed;
    const { callId } = given;
    if (this.#stop) return `turn ${this.turnId} is ending (${this.#stop.reason})`;
    const call = this.#carry.calls.find((other) => other.callId === callId);
    if (!call) return `call ${callId} is not a call of the current step of ${this.turnId}`;
    if (this.#answers.some((answer) => answer.answer.callId === callId))
      return `call ${callId} is answered already`;
    if (call.state !== answerable[kind])
      return `call ${callId} (${call.name}) is ${call.state}: it takes this answer only while it is ${answerable[kind]}`;
    return undefined;
  }

  result(finishReason: TurnResult['finishReason']): TurnResult {
    const { usage, run, step } = this.#carry;
    const replyMessageId = this.#replyMessageId(finishReason);
    return {
      turnId: this.turnId,
      finishReason,
      usage,
      run,
      step,
      ...(replyMessageId === undefined ? {} : { replyMessageId }),
      ...(this.#carry.steers.length > 0 ? { steers: this.#carry.steers } : {}),
      ...(this.#stop?.error ? { error: this.#stop.error } : {}),
      ...(this.#stop?.why === undefined ? {} : { reason: this.#stop.why }),
    };
  }

  #replyMessageId(finishReason: TurnResult['finishReason']): string | undefined {
    if (finishReason === 'interrupted' || finishReason === 'error') return undefined;
    const last = this.#carry.calls.at(-1);
    if (finishReason === 'tool_return_direct' && last)
      return resultMessageId(this.address.turn, this.#carry.step, last.callId);
    return this.#carry.replyMessageId;
  }

  #isRepeat(id: string | undefined): boolean {
    if (this.#hasSeen(id)) return true;
    this.#remember(id);
    return false;
  }

  #hasSeen(id: string | undefined): boolean {
    return id !== undefined && this.#carry.seen.includes(id);
  }

  #remember(id: string | undefined): void {
    if (id !== undefined) this.#set({ seen: [...this.#carry.seen, id].slice(-seenLimit) });
  }

  #set(change: Partial<TurnCarry>): void {
    this.#carry = { ...this.#carry, ...change };
  }
}
