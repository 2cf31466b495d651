// Answers to a turn's gates, from their arrival until they are applied: pure, part of the turn's state. Imports core and contracts only.
import type { GateAnswer, GateOutcome } from '../contracts/activities.ts';
import { failure } from '../contracts/failures.ts';
import type { Answered, SentConfirmation, Vote } from '../contracts/inputs.ts';
import { toActor, votesNeeded, whyMayNotAnswer, type Actor, type Requesters } from '../core/approval.ts';
import { canonicalJson } from '../core/canonical-json.ts';
import type { CallState } from '../core/next-action.ts';
import { whyNoAnswer, whyNoAnswers } from './check-message.ts';
import type { TurnMemory } from './turn-memory.ts';

/** Which state a call must be in to take an answer of this kind. */
const answerable: Record<GateAnswer['kind'], CallState> = {
  confirm: 'asking',
  external: 'submitted',
  reconcile: 'uncertain',
};

/** Why an answer is not taken: its call takes no such answer (any more), wants another one, or takes it from other people. */
export interface Refusal {
  code: typeof failure.rejected | typeof failure.unfit | typeof failure.forbidden;
  why: string;
}

export class GateAnswers {
  readonly #memory: TurnMemory;
  #underWay: GateAnswer[] = [];
  /** What became of answers, by call, for update handlers that wait for it. */
  readonly #outcomes = new Map<string, GateOutcome>();
  /** The votes for a call before the answers to it that are under way: a refused one must not cost others theirs. */
  readonly #votesBefore = new Map<string, Vote[]>();
  /** The messages that brought the answers that are under way: what is refused may be sent again under its id. */
  readonly #messageIds = new Map<GateAnswer, string>();

  constructor(memory: TurnMemory) {
    this.#memory = memory;
  }

  get hasAny(): boolean {
    return this.#underWay.length > 0;
  }

  /** Answers that are not applied yet. */
  get underWay(): GateAnswer[] {
    return [...this.#underWay];
  }

  /** Takes in what was given in the place of people who did not answer. */
  add(answers: readonly GateAnswer[]): void {
    this.#underWay.push(...answers);
  }

  /** What became of this call's answer; undefined while it is under way. */
  outcomeOf(callId: string): GateOutcome | undefined {
    return this.#outcomes.get(callId);
  }

  /**
   * Denies the calls that ask or are held back, on behalf of a user who wrote something else: all of them, or none where one of them takes no
   * answer from this user.
   *
   * @param requesters before this user wrote: what they wrote makes them one from now on.
   * @param mayRefuse false while a turn is replayed that took such a denial before there were refusals.
   */
  denyPending(by: Actor | undefined, requesters: Requesters, mayRefuse: () => boolean): void {
    const pending = this.#memory.carry.calls.filter(
      ({ callId, state }) => (state === 'asking' || state === 'held') && !this.#isDecided(callId),
    );
    const isUnfit = pending.some(({ approval }) => whyMayNotAnswer(approval, by, requesters) !== undefined);
    if (isUnfit && mayRefuse()) return;
    for (const { callId } of pending)
      this.#underWay.push({
        kind: 'confirm',
        ...(by ? { actor: by } : {}),
        answer: { callId, decision: 'deny', reason: 'the user wrote something else instead of answering' },
      });
  }

  /** Keeps the answers that fit, drops the rest: a wrong signal changes nothing. */
  take<T extends { callId: string }>(kind: GateAnswer['kind'], answered: Answered<T>): string[] {
    if (whyNoAnswers(answered) !== undefined || this.#memory.hasSeen(answered.id)) return [];
    const by = toActor(answered.actor);
    const taken: string[] = [];
    for (const answer of answered.results) {
      if (this.whyNot(kind, answer, by) !== undefined) continue;
      this.#outcomes.delete(answer.callId);
      const whole = { kind, answer, ...(by ? { actor: by } : {}) } as unknown as GateAnswer;
      const given = whole.kind === 'confirm' && !this.#isEnough(whole) ? { ...whole, isVote: true } : whole;
      this.#underWay.push(given);
      if (answered.id !== undefined) this.#messageIds.set(given, answered.id);
      taken.push(answer.callId);
    }
    // What did not fit may be sent again when it does.
    if (taken.length > 0) this.#memory.remember(answered.id);
    return taken;
  }

  /** A vote for one of these calls is being committed: the next answer to it has to wait for that. */
  hasVoteUnderWay(answered: Answered<{ callId: string }>): boolean {
    if (whyNoAnswers(answered) !== undefined) return false;
    return this.#underWay.some(
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
  ): Refusal | undefined {
    if (this.#memory.hasSeen(answered.id)) return undefined;
    return answered.results
      .map((answer) => this.whyNot(kind, answer, toActor(answered.actor)))
      .find((refusal) => refusal !== undefined);
  }

  /** Why an answer of this kind does not fit; undefined when it does. */
  whyNot(kind: GateAnswer['kind'], given: { callId: string }, actor?: Actor): Refusal | undefined {
    const malformed = whyNoAnswer(kind, given);
    if (malformed !== undefined) return { code: failure.unfit, why: malformed };
    const late = this.#whyLate(kind, given);
    if (late !== undefined) return { code: failure.rejected, why: late };
    const notTheirs = kind === 'external' ? undefined : this.#whyNotTheirs(given, actor);
    return notTheirs === undefined ? undefined : { code: failure.forbidden, why: notTheirs };
  }

  /** Its call takes no such answer, or not any more. */
  #whyLate(kind: GateAnswer['kind'], { callId }: { callId: string }): string | undefined {
    const { stop, turnId } = this.#memory;
    if (stop) return `turn ${turnId} is ending (${stop.reason})`;
    const call = this.#memory.call(callId);
    if (!call) return `call ${callId} is not a call of the current step of ${turnId}`;
    if (this.#isDecided(callId)) return `call ${callId} is answered already`;
    return call.state === answerable[kind]
      ? undefined
      : `call ${callId} (${call.name}) is ${call.state}: it takes this answer only while it is ${answerable[kind]}`;
  }

  #whyNotTheirs(given: { callId: string } & Partial<SentConfirmation>, actor?: Actor): string | undefined {
    const { callId, decision } = given;
    const call = this.#memory.call(callId);
    const whyNot = whyMayNotAnswer(call?.approval, actor, this.#memory.carry.requesters);
    if (whyNot !== undefined) return `call ${callId} (${call?.name}): ${whyNot}`;
    const edit = editOf(given);
    const hasVoted = this.#votesFor(callId).some((vote) => vote.actor === actor?.id && vote.input === edit);
    return decision === 'allow' && hasVoted
      ? `${actor?.id} has allowed call ${callId} already: somebody else must too`
      : undefined;
  }

  /** These were applied. @param outcomes of the calls that were answered, and of siblings that these answers settled or brought up. */
  applied(applied: readonly GateAnswer[], outcomes: readonly GateOutcome[]): void {
    this.#underWay = this.#underWay.filter((answer) => !applied.includes(answer));
    for (const outcome of outcomes) {
      this.#outcomes.set(outcome.callId, outcome);
      if (outcome.rejected !== undefined) this.#takeBack(outcome.callId, applied);
    }
    for (const given of applied) {
      this.#votesBefore.delete(given.answer.callId);
      this.#messageIds.delete(given);
    }
  }

  /** An answer that came while another one settled its call as well is refused: it must not be applied to what the call has become. */
  refuseOvertaken(): void {
    this.#underWay = this.#underWay.filter((given) => {
      const call = this.#memory.call(given.answer.callId);
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

  /** Counts an allowing answer as a vote; true when it is the last that is needed. Edits must agree: another edit starts the count anew. */
  #isEnough({ answer, actor }: Extract<GateAnswer, { kind: 'confirm' }>): boolean {
    const { callId, decision } = answer;
    const input = editOf(answer);
    const call = this.#memory.call(callId);
    const needed = votesNeeded(call?.approval, input !== undefined);
    // People can agree on arguments, not on an answer.
    if (decision === 'deny' || call?.isQuestion || needed <= 1) return true;
    const vote = { callId, actor: actor?.id ?? '', ...(input === undefined ? {} : { input }) };
    if (!this.#votesBefore.has(callId)) this.#votesBefore.set(callId, this.#votes(callId));
    const agreeing = this.#votesFor(callId).filter((other) => other.input === input);
    this.#setVotes(callId, [...agreeing, vote]);
    return agreeing.length + 1 >= needed;
  }

  #votes(callId: string): Vote[] {
    return this.#memory.carry.votes.filter((vote) => vote.callId === callId);
  }

  /** Votes that count: who gave one may have written into the turn since. */
  #votesFor(callId: string): Vote[] {
    const { requesters } = this.#memory.carry;
    const isFourEyes = this.#memory.call(callId)?.approval?.by === 'not_requester';
    return this.#votes(callId).filter(({ actor }) => !isFourEyes || !requesters.known.includes(actor));
  }

  #setVotes(callId: string, votes: readonly Vote[]): void {
    this.#memory.set({
      votes: [...this.#memory.carry.votes.filter((vote) => vote.callId !== callId), ...votes],
    });
  }

  /** Answers that were refused leave nothing behind. */
  #takeBack(callId: string, applied: readonly GateAnswer[]): void {
    const before = this.#votesBefore.get(callId);
    if (before) this.#setVotes(callId, before);
    const refused = applied.filter(({ answer }) => answer.callId === callId);
    const ids = refused.map((given) => this.#messageIds.get(given));
    this.#memory.forget(ids);
  }

  /** It has an answer that is under way, and is no vote alone. */
  #isDecided(callId: string): boolean {
    return this.#underWay.some(
      (given) => given.answer.callId === callId && !(given.kind === 'confirm' && given.isVote === true),
    );
  }
}

/** The arguments that an answer puts in the place of the proposed ones, in one spelling. */
function editOf({ input, sealed }: Partial<SentConfirmation>): string | undefined {
  if (sealed?.digest !== undefined) return `digest ${sealed.digest}`;
  return input === undefined ? undefined : canonicalJson(input);
}
