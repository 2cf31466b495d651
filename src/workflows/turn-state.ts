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
import { whyMayNotAnswer, type Actor } from '../core/approval.ts';
import { turnIdOf } from '../contracts/ids.ts';
import type {
  Answered,
  Confirmation,
  Interrupt,
  Steer,
  TurnCall,
  TurnCarry,
  TurnError,
  TurnInput,
  TurnResult,
  Vote,
} from '../contracts/inputs.ts';
import { resultMessageId } from '../core/message-ids.ts';
import { nextAction, type CallState, type NextAction } from '../core/next-action.ts';
import { addUsage, noUsage } from '../core/usage.ts';
import { toActor, whyNoAnswer, whyNoAnswers, whyNoInput } from './check-message.ts';
import { nextDueAt, passDeadlines, startClocks } from './deadlines.ts';

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
  /** The votes for a call before the answers to it that are under way: a refused one must not cost others theirs. */
  readonly #votesBefore = new Map<string, Vote[]>();
  /** The messages that brought the answers that are under way: what is refused may be sent again under its id. */
  readonly #messageIds = new Map<GateAnswer, string>();
  #stop: { reason: TurnResult['finishReason']; why?: string; error?: TurnError } | undefined;
  /** Nothing runs: the turn waits for an answer. */
  isAtGate = false;
  /** An activity runs that may change calls: whoever reads the store knows of it before the turn does. */
  isBusy = false;
  /** Called once when an interrupt arrives, to cancel what runs. */
  onInterrupt: (() => void) | undefined;

  constructor(input: TurnInput) {
    this.#input = input;
    this.address = { ref: input.ref, turn: input.turn, agent: input.agent };
    this.turnId = turnIdOf(input.ref, input.turn);
    this.#carry = input.carry ?? {
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
    const { maxIterations, modelName, stopsWhenAllDenied } = opened;
    this.#set({ maxIterations, modelName, stopsWhenAllDenied });
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
      votes: [],
      clocks: [],
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
      // A call that reaches another gate (allowed, then uncertain) is announced again; one that only got a vote is not.
      announced: this.#carry.announced.filter((id) => {
        const change = byId.get(id);
        return !change || change.state === this.#carry.calls.find(({ callId }) => callId === id)?.state;
      }),
    });
  }

  /** Calls whose gate is open and that observers know nothing of; one that is held back has no gate of its own yet. */
  unannounced(waiting: readonly TurnCall[]): string[] {
    return waiting
      .filter((call) => call.state !== 'held' && !this.#carry.announced.includes(call.callId))
      .map((call) => call.callId);
  }

  /** @param now milliseconds since the epoch: deadlines count from it. */
  gatesOpened(callIds: readonly string[], isPaused: boolean, now: number): void {
    this.#set({
      announced: [...this.#carry.announced, ...callIds],
      isPaused: this.#carry.isPaused || isPaused,
      clocks: startClocks(this.#carry, callIds, now),
    });
  }

  /** When the next deadline of an open gate passes; undefined when none has one. */
  get nextDueAt(): number | undefined {
    return nextDueAt(this.#carry);
  }

  /** Applies deadlines that have passed, and returns what people are to be told of. */
  deadlinesPassed(now: number): NoticeGatesInput['notices'] {
    const { notices, answers, ...gates } = passDeadlines(this.#carry, now);
    this.#answers.push(...answers);
    // Votes of those whom a gate was taken from don't count for those whom it was given to.
    const escalated = notices.filter(({ kind }) => kind === 'escalated').map(({ callId }) => callId);
    this.#set({ ...gates, votes: this.#carry.votes.filter(({ callId }) => !escalated.includes(callId)) });
    return notices;
  }

  /** Answers that are not applied yet. */
  get answers(): GateAnswer[] {
    return [...this.#answers];
  }

  /** @param outcomes of the calls that were answered, and of siblings that these answers settled or brought up. */
  answersApplied(applied: readonly GateAnswer[], outcomes: readonly GateOutcome[]): void {
    this.#answers = this.#answers.filter((answer) => !applied.includes(answer));
    for (const outcome of outcomes) {
      this.#outcomes.set(outcome.callId, outcome);
      if (outcome.rejected !== undefined) this.#takeBack(outcome.callId, applied);
    }
    for (const given of applied) {
      this.#votesBefore.delete(given.answer.callId);
      this.#messageIds.delete(given);
    }
    this.callsChanged(outcomes.filter((outcome) => outcome.rejected === undefined));
    this.#refuseOvertaken();
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

  /** Takes in a user message for the next model call, and says whether it did; a repeat or one too many is dropped. */
  steer(steer: Steer): boolean {
    if (whyNoInput(steer) !== undefined || this.#carry.steers.length >= steerLimit) return false;
    if (this.#isRepeat(steer.id)) return false;
    if (steer.denyPending === true) this.denyPending();
    this.#set({ steers: [...this.#carry.steers, steer] });
    return true;
  }

  /** Denies the calls that ask or are held back, on behalf of a user who wrote something else. */
  denyPending(): void {
    for (const { callId, state } of this.#carry.calls)
      if ((state === 'asking' || state === 'held') && !this.#isDecided(callId))
        this.#answers.push({
          kind: 'confirm',
          answer: { callId, decision: 'deny', reason: 'the user wrote something else instead of answering' },
        });
  }

  /** Keeps the answers that fit, drops the rest: a wrong signal changes nothing. */
  answer<T extends { callId: string }>(kind: GateAnswer['kind'], answered: Answered<T>): string[] {
    if (whyNoAnswers(answered) !== undefined || this.#hasSeen(answered.id)) return [];
    const by = toActor(answered.actor);
    const taken: string[] = [];
    for (const answer of answered.results) {
      if (this.whyNot(kind, answer, by) !== undefined) continue;
      this.#outcomes.delete(answer.callId);
      const whole = { kind, answer, ...(by ? { actor: by } : {}) } as unknown as GateAnswer;
      const given = whole.kind === 'confirm' && !this.#isEnough(whole) ? { ...whole, isVote: true } : whole;
      this.#answers.push(given);
      if (answered.id !== undefined) this.#messageIds.set(given, answered.id);
      taken.push(answer.callId);
    }
    // What did not fit may be sent again when it does.
    if (taken.length > 0) this.#remember(answered.id);
    return taken;
  }

  /** A vote for one of these calls is being committed: the next answer to it has to wait for that. */
  hasVoteUnderWay(answered: Answered<{ callId: string }>): boolean {
    if (whyNoAnswers(answered) !== undefined) return false;
    return this.#answers.some(
      (given) =>
        given.kind === 'confirm' &&
        given.isVote === true &&
        answered.results.some((answer) => answer?.callId === given.answer.callId),
    );
  }

  /** Why one of these answers does not fit; undefined when all do, or when they were taken before. */
  whyNotAny<T extends { callId: string }>(
    kind: GateAnswer['kind'],
    answered: Answered<T>,
  ): string | undefined {
    if (this.#hasSeen(answered.id)) return undefined;
    return answered.results
      .map((answer) => this.whyNot(kind, answer, toActor(answered.actor)))
      .find((reason) => reason !== undefined);
  }

  /** Why an answer of this kind does not fit; undefined when it does. */
  whyNot(kind: GateAnswer['kind'], given: { callId: string }, actor?: Actor): string | undefined {
    const malformed = whyNoAnswer(kind, given);
    if (malformed !== undefined) return malformed;
    const { callId } = given;
    if (this.#stop) return `turn ${this.turnId} is ending (${this.#stop.reason})`;
    const call = this.#carry.calls.find((other) => other.callId === callId);
    if (!call) return `call ${callId} is not a call of the current step of ${this.turnId}`;
    if (this.#isDecided(callId)) return `call ${callId} is answered already`;
    if (call.state !== answerable[kind])
      return `call ${callId} (${call.name}) is ${call.state}: it takes this answer only while it is ${answerable[kind]}`;
    if (kind === 'external') return undefined;
    const whyNotThem = whyMayNotAnswer(call.approval, actor, this.#input.requester);
    if (whyNotThem !== undefined) return `call ${callId} (${call.name}): ${whyNotThem}`;
    const hasVoted =
      (given as Partial<Confirmation>).decision === 'allow' &&
      this.#carry.votes.some((vote) => vote.callId === callId && vote.actor === actor?.id);
    return hasVoted ? `${actor?.id} has allowed call ${callId} already: somebody else must too` : undefined;
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

  /** Counts an allowing answer as a vote; true when it is the last that is needed. Edits must agree: another edit starts the count anew. */
  #isEnough({ answer, actor }: Extract<GateAnswer, { kind: 'confirm' }>): boolean {
    const needed = this.#call(answer.callId)?.approval?.count ?? 1;
    if (answer.decision === 'deny' || needed <= 1) return true;
    const input = answer.input === undefined ? {} : { input: JSON.stringify(answer.input) };
    const vote = { callId: answer.callId, actor: actor?.id ?? '', ...input };
    const before = this.#carry.votes.filter((other) => other.callId === vote.callId);
    if (!this.#votesBefore.has(vote.callId)) this.#votesBefore.set(vote.callId, before);
    const agreeing = before.filter((other) => other.input === vote.input);
    this.#setVotes(vote.callId, [...agreeing, vote]);
    return agreeing.length + 1 >= needed;
  }

  #setVotes(callId: string, votes: readonly Vote[]): void {
    this.#set({ votes: [...this.#carry.votes.filter((vote) => vote.callId !== callId), ...votes] });
  }

  /** Answers that were refused leave nothing behind. */
  #takeBack(callId: string, applied: readonly GateAnswer[]): void {
    const before = this.#votesBefore.get(callId);
    if (before) this.#setVotes(callId, before);
    const refused = applied.filter(({ answer }) => answer.callId === callId);
    const ids = refused.map((given) => this.#messageIds.get(given));
    this.#set({ seen: this.#carry.seen.filter((id) => !ids.includes(id)) });
  }

  /** An answer that came while another one settled its call as well is refused: it must not be applied to what the call has become. */
  #refuseOvertaken(): void {
    this.#answers = this.#answers.filter((given) => {
      const call = this.#call(given.answer.callId);
      if (call && (call.state === answerable[given.kind] || call.state === 'held')) return true;
      const state = call?.state ?? 'error';
      this.#outcomes.set(given.answer.callId, {
        callId: given.answer.callId,
        state,
        rejected: `call ${given.answer.callId} is ${state} by now: something else settled it`,
      });
      this.#messageIds.delete(given);
      return false;
    });
  }

  /** It has an answer that is under way, and is no vote alone. */
  #isDecided(callId: string): boolean {
    return this.#answers.some(
      (given) => given.answer.callId === callId && !(given.kind === 'confirm' && given.isVote === true),
    );
  }

  #call(callId: string): TurnCall | undefined {
    return this.#carry.calls.find((call) => call.callId === callId);
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
