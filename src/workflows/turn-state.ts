// State of one turn's workflow: pure, handlers delegate to it. Imports core and contracts only.
import type {
  CallChange,
  GateAnswer,
  GateOutcome,
  ModelDigest,
  NoticeGatesInput,
  OpenedTurn,
  TurnAddress,
} from '../contracts/activities.ts';
import type { InboxMessage } from '../contracts/inbox.ts';
import { isMessage } from '../contracts/inputs.ts';
import type {
  Interrupt,
  Steer,
  TurnCall,
  TurnCarry,
  TurnError,
  TurnInput,
  TurnOutcome,
  TurnResult,
} from '../contracts/inputs.ts';
import { toActor } from '../core/approval.ts';
import { resultMessageId } from '../core/message-ids.ts';
import { nextAction, type NextAction } from '../core/next-action.ts';
import { addUsage, noUsage, tokensOf } from '../core/usage.ts';
import { whyNoInput } from './check-message.ts';
import { nextDueAt, passDeadlines, startClocks } from './deadlines.ts';
import { GateAnswers } from './gate-answers.ts';
import { toSteer, TurnMemory } from './turn-memory.ts';

/** Steers that may wait for the next model call. */
const steerLimit = 50;

export class TurnState {
  readonly address: TurnAddress;
  readonly turnId: string;
  readonly answers: GateAnswers;
  readonly #input: TurnInput;
  readonly #memory: TurnMemory;
  /** Nothing runs: the turn waits for an answer. */
  isAtGate = false;
  /** An activity runs that may change calls: whoever reads the store knows of it before the turn does. */
  isBusy = false;
  /** Its session's workflow runs it, so that somebody is there for what comes later. */
  canBackground = false;
  /** Called once when an interrupt arrives, to cancel what runs. */
  onInterrupt: (() => void) | undefined;

  constructor(input: TurnInput) {
    this.#input = input;
    this.address = { ref: input.ref, turn: input.turn, agent: input.agent };
    this.#memory = new TurnMemory(input);
    this.turnId = this.#memory.turnId;
    this.answers = new GateAnswers(this.#memory);
  }

  get view(): Readonly<TurnCarry> {
    return this.#memory.carry;
  }
  get nextStep(): number {
    return this.#memory.carry.step + 1;
  }
  get isInterrupted(): boolean {
    return this.#memory.stop?.reason === 'interrupted';
  }
  get interruptReason(): string | undefined {
    return this.#memory.stop?.why;
  }
  /** What turns below may use, where there is a limit. */
  get tokensLeft(): { maxTokens?: number } {
    const { maxTokens } = this.#input;
    return maxTokens === undefined ? {} : { maxTokens: Math.max(0, maxTokens - this.#tokensUsed) };
  }
  get hasNews(): boolean {
    return this.#memory.stop !== undefined || this.answers.hasAny;
  }

  /** What another run of this workflow needs to go on. */
  rotated(): TurnInput {
    return { ...this.#input, input: '', carry: this.#memory.carry };
  }

  /** The form that its answer must have, where its submitter wants one. */
  get output(): Pick<TurnInput, 'output'> {
    return this.#input.output ? { output: this.#input.output } : {};
  }

  next(): NextAction<TurnCall> {
    return nextAction({
      ...this.#memory.carry,
      hasSteers: this.#memory.carry.steers.length > 0,
      needsOutput: this.#input.output !== undefined,
      isOverBudget: this.#input.maxTokens !== undefined && this.#tokensUsed >= this.#input.maxTokens,
      ...(this.#memory.stop ? { stopReason: this.#memory.stop.reason } : {}),
    });
  }

  opened(opened: OpenedTurn): void {
    const { maxIterations, modelName, stopsWhenAllDenied } = opened;
    this.#memory.set({ maxIterations, modelName, stopsWhenAllDenied });
  }

  /** The steers that the next model call takes in. */
  steersForCall(): Steer[] {
    return this.#memory.carry.steers;
  }

  modelCalled(digest: ModelDigest, isSummary: boolean, taken: readonly Steer[]): void {
    // What the model proposes from now on may follow from what it has read: not what it proposed before.
    for (const { input } of taken) if (isMessage(input)) this.#memory.addRequesters(input.message.requesters);
    this.#memory.set({
      step: this.nextStep,
      iterations: this.#memory.carry.iterations + (isSummary ? 0 : 1),
      isSummarized: this.#memory.carry.isSummarized || isSummary,
      reply: digest.reply,
      calls: digest.calls,
      steers: this.#memory.carry.steers.filter((steer) => !taken.includes(steer)),
      usage: addUsage(this.#memory.carry.usage, digest.usage),
      preview: digest.preview === '' ? this.#memory.carry.preview : digest.preview,
      announced: [],
      votes: [],
      clocks: [],
      ...(digest.reply === 'text' || digest.reply === 'structured'
        ? { replyMessageId: digest.messageId }
        : {}),
    });
  }

  /** A turn below ended: what it used counts. */
  childEnded({ usage = noUsage, usageBelow = noUsage, requesters }: TurnOutcome): void {
    const below = addUsage(this.#memory.carry.usageBelow ?? noUsage, addUsage(usage, usageBelow));
    this.#memory.set({ usageBelow: below });
    if (requesters) this.#memory.addRequesters(requesters);
  }

  callsChanged(changes: readonly CallChange[]): void {
    const byId = new Map(changes.map((change) => [change.callId, change]));
    this.#memory.set({
      usage: changes.reduce((sum, { usage = noUsage }) => addUsage(sum, usage), this.#memory.carry.usage),
      calls: this.#memory.carry.calls.map((call) => {
        const change = byId.get(call.callId);
        if (!change) return call;
        return {
          ...call,
          state: change.state,
          ...(change.reason === undefined ? {} : { reason: change.reason }),
        };
      }),
      // What people allowed was one attempt: at its next gate a call needs them anew.
      votes: this.#memory.carry.votes.filter(({ callId }) => {
        const change = byId.get(callId);
        return !change || change.state === 'asking';
      }),
      // A call that reaches another gate (allowed, then uncertain) is announced again; one that only got a vote is not.
      announced: this.#memory.carry.announced.filter((id) => {
        const change = byId.get(id);
        return (
          !change || change.state === this.#memory.carry.calls.find(({ callId }) => callId === id)?.state
        );
      }),
    });
  }

  /** Calls whose gate is open and that observers know nothing of; one that is held back has no gate of its own yet. */
  unannounced(waiting: readonly TurnCall[]): string[] {
    return waiting
      .filter((call) => call.state !== 'held' && !this.#memory.carry.announced.includes(call.callId))
      .map((call) => call.callId);
  }

  /** @param now milliseconds since the epoch: deadlines count from it. */
  gatesOpened(callIds: readonly string[], isPaused: boolean, now: number): void {
    this.#memory.set({
      announced: [...this.#memory.carry.announced, ...callIds],
      isPaused: this.#memory.carry.isPaused || isPaused,
      clocks: startClocks(this.#memory.carry, callIds, now),
    });
  }

  /** When the next deadline of an open gate passes; undefined when none has one. */
  get nextDueAt(): number | undefined {
    return nextDueAt(this.#memory.carry);
  }

  /** Applies deadlines that have passed, and returns what people are to be told of. */
  deadlinesPassed(now: number): NoticeGatesInput['notices'] {
    const { notices, answers, ...gates } = passDeadlines(this.#memory.carry, now);
    this.answers.add(answers);
    // Votes of those whom a gate was taken from don't count for those whom it was given to.
    const escalated = notices.filter(({ kind }) => kind === 'escalated').map(({ callId }) => callId);
    this.#memory.set({
      ...gates,
      votes: this.#memory.carry.votes.filter(({ callId }) => !escalated.includes(callId)),
    });
    return notices;
  }

  /** @param outcomes of the calls that were answered, and of siblings that these answers settled or brought up. */
  answersApplied(applied: readonly GateAnswer[], outcomes: readonly GateOutcome[]): void {
    this.answers.applied(applied, outcomes);
    this.callsChanged(outcomes.filter((outcome) => outcome.rejected === undefined));
    this.answers.refuseOvertaken();
    if (this.#memory.carry.isPaused && this.next().kind !== 'wait')
      this.#memory.set({ run: this.#memory.carry.run + 1, isPaused: false });
  }

  fail(error: TurnError): void {
    this.#memory.stop ??= { reason: 'error', error };
  }

  interrupt(interrupt: Interrupt): void {
    if (this.#memory.isRepeat(interrupt.id) || this.#memory.stop) return;
    this.#memory.stop = { reason: 'interrupted', why: interrupt.reason ?? 'interrupted' };
    this.onInterrupt?.();
  }

  /** Takes in a user message for the next model call, and says whether it did; a repeat or one too many is dropped. */
  steer(steer: Steer, mayRefuse = () => true): boolean {
    const waiting = this.#memory.carry.steers.filter(({ input }) => !isMessage(input));
    if (whyNoInput(steer) !== undefined || waiting.length >= steerLimit) return false;
    if (this.#memory.isRepeat(steer.id)) return false;
    const by = toActor(steer.actor);
    if (steer.denyPending === true) this.answers.denyPending(by, this.#memory.carry.requesters, mayRefuse);
    this.#memory.addRequester(by?.id);
    this.#memory.set({ steers: [...this.#memory.carry.steers, steer] });
    return true;
  }

  /** Takes in messages of the session's inbox, which says how many there may be. */
  takeMessages(messages: readonly InboxMessage[]): void {
    const news = messages.map(toSteer).filter(({ id }) => !this.#memory.isRepeat(id));
    this.#memory.set({ steers: [...this.#memory.carry.steers, ...news] });
  }

  result(finishReason: TurnResult['finishReason']): TurnResult {
    const { usage, usageBelow, requesters, run, step } = this.#memory.carry;
    const replyMessageId = this.#replyMessageId(finishReason);
    return {
      turnId: this.turnId,
      finishReason,
      usage,
      ...(usageBelow ? { usageBelow } : {}),
      requesters,
      run,
      step,
      ...(replyMessageId === undefined ? {} : { replyMessageId }),
      ...(this.#memory.carry.steers.length > 0 ? { steers: this.#memory.carry.steers } : {}),
      ...(this.#memory.stop?.error ? { error: this.#memory.stop.error } : {}),
      ...(this.#memory.stop?.why === undefined ? {} : { reason: this.#memory.stop.why }),
    };
  }

  get #tokensUsed(): number {
    const { usage, usageBelow = noUsage } = this.#memory.carry;
    return tokensOf(usage) + tokensOf(usageBelow);
  }

  #replyMessageId(finishReason: TurnResult['finishReason']): string | undefined {
    if (finishReason === 'interrupted' || finishReason === 'error') return undefined;
    const last = this.#memory.carry.calls.at(-1);
    if (finishReason === 'tool_return_direct' && last)
      return resultMessageId(this.address.turn, this.#memory.carry.step, last.callId);
    return this.#memory.carry.replyMessageId;
  }
}
