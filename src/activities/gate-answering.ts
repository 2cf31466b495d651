import type { GateAnswer, GateOutcome } from '../contracts/activities.ts';
import type { CallState } from '../core/next-action.ts';
import type { PermissionPolicy, PermissionRule } from '../core/permission.ts';
import { fillRedacted, redactArguments, scrub, secretTexts } from '../core/redact.ts';
import type { EventBody } from '../schema/event.ts';
import { InputPart, type Json } from '../schema/message.ts';
import type { AuditDraft, CallRecord } from '../store/call-store.ts';
import type { SessionRecord } from '../store/store.ts';
import { checkArguments, parseArguments } from '../tools/parse-arguments.ts';
import type { Tool, ToolOutcome } from '../tools/tool.ts';
import type { ActivityDeps } from './deps.ts';
import { whyToolIsGone } from './equip-for-calls.ts';
import type { EquippedAgent } from './equip.ts';
import { judgeReconciled } from './judge-reconciled.ts';
import { isFinal, judge } from './judge.ts';
import { rulesToRemember, whyNoRules } from './remembered-rules.ts';
import { resultMessage, textOutcome } from './result-message.ts';
import { openSealed, removeSealed } from './sealed-answers.ts';
import { placeholderOf } from './secret-answers.ts';
import { toOutcome, type Judges } from './settle-siblings.ts';

type Answered = Extract<EventBody, { kind: 'gate_answered' }>;
type Given<K extends GateAnswer['kind']> = Extract<GateAnswer, { kind: K }>;

/** The states in which a call takes an answer; one that is held back is only denied, with its siblings. */
const takes: Record<GateAnswer['kind'], readonly CallState[]> = {
  confirm: ['asking', 'held'],
  external: ['submitted'],
  reconcile: ['uncertain'],
};

/** A result from outside may be this large, as JSON. */
const maxExternalBytes = 1024 * 1024;

interface Move {
  change: Parameters<ActivityDeps['store']['calls']['move']>[2];
  answer: Answered['answer'];
  /** Arguments, as the audit shows them. */
  shown: string;
  /** That the answer adds to the session. */
  rules?: PermissionRule[];
}

/** Applies answers to calls of one session, under the permissions that hold now. */
export class GateAnswering {
  readonly #deps: ActivityDeps;
  readonly #agent: EquippedAgent;
  readonly #session: SessionRecord;
  readonly #policy: PermissionPolicy;

  constructor(deps: ActivityDeps, agent: EquippedAgent, session: SessionRecord, policy: PermissionPolicy) {
    this.#deps = deps;
    this.#agent = agent;
    this.#session = session;
    this.#policy = policy;
  }

  async apply(given: GateAnswer): Promise<GateOutcome> {
    const { callId } = given.answer;
    const call = await this.#deps.store.calls.get(this.#session.ref, callId);
    if (!call) return { callId, state: 'error', rejected: `there is no call ${callId}` };
    const outcome = await this.#apply(call, given);
    const isThrough =
      given.kind === 'confirm' && outcome.rejected === undefined && outcome.state !== 'asking';
    // What a vote sealed is kept till then: another attempt reads it again.
    if (isThrough && (given.answer.sealed || call.votes))
      await removeSealed(this.#deps.store, this.#session.ref, call);
    return outcome;
  }

  async #apply(call: CallRecord, given: GateAnswer): Promise<GateOutcome> {
    // An earlier attempt has applied it, and ended before it could tell.
    if (!takes[given.kind].includes(call.state)) return toOutcome(call);
    switch (given.kind) {
      case 'confirm': {
        const answer = await openSealed(this.#deps.store, this.#session.ref, call, given.answer);
        if (!answer) return rejected(call, 'what was sent under seal is not there any more: answer again');
        return this.#confirm(call, { ...given, answer });
      }
      case 'external':
        return this.#external(call, given);
      default:
        return this.#reconcile(call, given);
    }
  }

  async #confirm(call: CallRecord, given: Given<'confirm'>): Promise<GateOutcome> {
    const { decision, reason } = given.answer;
    const tool = this.#agent.toolByName.get(call.name);
    if (decision === 'deny') {
      const text = reason === undefined ? `${call.name} was denied.` : `${call.name} was denied: ${reason}`;
      return this.#settle(call, given, textOutcome('denied', text), 'deny');
    }
    if (!tool) return rejected(call, whyToolIsGone(this.#agent, call.name));
    if (tool.question) return this.#answerQuestion(call, given, tool);
    return this.#allow(call, given, tool);
  }

  /** An approval is no way around a deny: what is approved is judged again, edited or not. */
  async #allow(call: CallRecord, given: Given<'confirm'>, tool: Tool): Promise<GateOutcome> {
    const { remember = [] } = given.answer;
    const edited = editedInput(given.answer.input, call);
    const checked =
      edited === undefined
        ? await parseArguments(call.sealed ?? call.arguments, tool)
        : await checkArguments(edited, tool);
    // The reason travels through Temporal, and may repeat what it is about.
    const typed = secretTexts(edited === undefined ? '' : JSON.stringify(edited), tool.secrets ?? []);
    if (!checked.ok) return unfit(call, scrub(checked.message, typed));
    const judged = await judge(this.#agent, tool, checked.input, this.#session, this.#policy);
    if (judged.behavior === 'deny' && (isFinal(judged) || this.#policy.mode === 'explore'))
      return unfit(call, `it may not be approved: ${scrub(judged.reason, typed)}`);
    const wrong = whyNoRules(remember, tool, this.#agent);
    if (wrong !== undefined) return unfit(call, wrong);

    const raw = edited === undefined ? undefined : JSON.stringify(edited);
    const shown = raw === undefined ? call.arguments : redactArguments(raw, tool.secrets ?? []);
    if (given.isVote) {
      const actor = given.actor?.id ?? '';
      // Another edit starts the count anew.
      const others = (call.votes ?? []).filter((vote) => vote.actor !== actor && vote.arguments === shown);
      const vote = { actor, arguments: shown, ...(remember.length === 0 ? {} : { remember }) };
      const change = { state: call.state, votes: [...others, vote] };
      return toOutcome(await this.#move(call, given, { change, answer: 'vote', shown }));
    }
    const rules = rulesToRemember(given, call, shown);
    if (rules.length > 0)
      await this.#deps.store.sessions.changePermissions(this.#session.ref, { addRules: rules });
    const change = {
      state: tool.isExternal ? ('submitted' as const) : ('allowed' as const),
      ...(raw === undefined ? {} : { arguments: shown, ...(tool.secrets ? { sealed: raw } : {}) }),
    };
    return toOutcome(await this.#move(call, given, { change, answer: 'allow', shown, rules }));
  }

  async #answerQuestion(call: CallRecord, given: Given<'confirm'>, tool: Tool): Promise<GateOutcome> {
    const { answer } = given.answer;
    const parsed = await parseArguments(call.arguments, tool);
    const question = parsed.ok ? tool.question?.(parsed.input) : undefined;
    if (answer === undefined || answer.trim() === '')
      return unfit(call, 'it asks a question: give an answer');
    if (question && !question.isFree && !question.options?.some(({ label }) => label === answer))
      return unfit(
        call,
        `the answer must be one of: ${question.options?.map(({ label }) => label).join(', ')}`,
      );
    if (!question?.isSecret) return this.#settle(call, given, textOutcome('success', answer), 'answer');

    await this.#deps.store.blobs.put(this.#session.ref, call.callId, [{ type: 'text', text: answer }]);
    const text = `The user gave the secret. Write ${placeholderOf(call.callId)} where a tool needs it: its value is put in when the tool runs.`;
    return this.#settle(call, given, textOutcome('success', text), 'answer');
  }

  async #external(call: CallRecord, given: Given<'external'>): Promise<GateOutcome> {
    const { state, content } = given.answer;
    const parts = InputPart.array().safeParse(
      typeof content === 'string' ? [{ type: 'text', text: content }] : content,
    );
    if (!parts.success)
      return unfit(call, `content is no list of parts: ${parts.error.issues[0]?.message ?? 'unreadable'}`);
    const bytes = Buffer.byteLength(JSON.stringify(parts.data));
    if (bytes > maxExternalBytes)
      return unfit(
        call,
        `content has ${bytes} bytes, above the limit of ${maxExternalBytes}: keep it elsewhere, and submit its address`,
      );
    return this.#settle(call, given, { state, parts: parts.data as ToolOutcome['parts'] }, 'external_result');
  }

  async #reconcile(call: CallRecord, given: Given<'reconcile'>): Promise<GateOutcome> {
    const { outcome, content, reason } = given.answer;
    if (outcome === 'did_not_happen') {
      const noted = { state: call.state, isDispatched: false, reason };
      const stored = await this.#move(call, given, { change: noted, answer: outcome, shown: call.arguments });
      return toOutcome(await judgeReconciled(this.#judges, stored));
    }
    const text = content ?? `It was confirmed afterwards that this happened: ${reason}`;
    return this.#settle(call, given, textOutcome('success', text), outcome);
  }

  async #settle(call: CallRecord, given: GateAnswer, outcome: ToolOutcome, answer: Answered['answer']) {
    const { store } = this.#deps;
    const settled = await store.calls.settle(this.#session.ref, call.callId, resultMessage(call, outcome), {
      events: [toEvent(given, answer)],
      audit: toAudit(given, call.arguments),
    });
    return toOutcome(settled);
  }

  async #move(
    call: CallRecord,
    given: GateAnswer,
    { change, answer, shown, rules = [] }: Move,
  ): Promise<CallRecord> {
    const { store } = this.#deps;
    return store.calls.move(this.#session.ref, call.callId, change, {
      events: [toEvent(given, answer)],
      audit: { ...toAudit(given, shown), ...(rules.length === 0 ? {} : { remembered: rules }) },
    });
  }

  get #judges(): Judges {
    return {
      store: this.#deps.store,
      agent: this.#agent,
      session: this.#session,
      policy: this.#policy,
    };
  }
}

function editedInput(input: Json | undefined, { sealed }: CallRecord): Json | undefined {
  // A call without arguments has nothing that was hidden.
  if (input === undefined || sealed === undefined || sealed.trim() === '') return input;
  return fillRedacted(input, JSON.parse(sealed) as Json);
}

function rejected(call: CallRecord, why: string): GateOutcome {
  return { callId: call.callId, state: call.state, rejected: why };
}

function unfit(call: CallRecord, why: string): GateOutcome {
  return { ...rejected(call, why), isUnfit: true };
}

function toEvent(given: GateAnswer, answer: Answered['answer']): Answered {
  const { callId } = given.answer;
  const reason = 'reason' in given.answer ? given.answer.reason : undefined;
  return {
    kind: 'gate_answered',
    callId,
    answer,
    ...(given.actor ? { actor: given.actor.id } : {}),
    ...(reason === undefined ? {} : { reason }),
  };
}

function toAudit(given: GateAnswer, shownArguments: string): AuditDraft {
  const isDenial = given.kind === 'confirm' && given.answer.decision === 'deny';
  const reason = 'reason' in given.answer ? given.answer.reason : undefined;
  const isOverdue = given.kind !== 'reconcile' && given.isOverdue === true;
  const by = isOverdue ? 'deadline' : given.kind === 'external' ? 'system' : 'person';
  return {
    behavior: isDenial ? 'deny' : 'allow',
    by,
    reason: reason ?? (given.kind === 'confirm' ? 'no reason given' : given.kind),
    arguments: shownArguments,
    ...(given.actor ? { actor: given.actor.id } : {}),
  };
}
