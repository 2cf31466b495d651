import type { TurnAddress } from '../contracts/activities.ts';
import { turnIdOf, type SessionRef } from '../contracts/ids.ts';
import type { Requesters } from '../core/approval.ts';
import { resultMessageId } from '../core/message-ids.ts';
import { isSettled } from '../core/next-action.ts';
import { scrub, secretTexts } from '../core/redact.ts';
import { deniedPatterns, type PermissionPolicy } from '../core/permission.ts';
import { addUsage, noUsage } from '../core/usage.ts';
import type { Usage } from '../schema/message.ts';
import type { CallRecord } from '../store/call-store.ts';
import type { EventStore, SessionRecord, Store } from '../store/store.ts';
import { parseArguments } from '../tools/parse-arguments.ts';
import { runTool } from '../tools/run-tool.ts';
import { OutcomeUnknownError } from '../tools/outcome-unknown.ts';
import { errorOutcome } from '../tools/tool-errors.ts';
import type { Tool, ToolOutcome } from '../tools/tool.ts';
import { askInCall, closeGate } from './ask-in-call.ts';
import type { CallMark } from './call-mark.ts';
import type { ActivityDeps } from './deps.ts';
import { whyToolIsGone } from './equip-for-calls.ts';
import type { EquippedAgent } from './equip.ts';
import { EventPublisher } from './event-publisher.ts';
import { isFinal, judge } from './judge.ts';
import { isCancelRequested } from './liveness.ts';
import { outlastStore } from './outlast-store.ts';
import { resultMessage, textOutcome } from './result-message.ts';
import { fillSecrets } from './secret-answers.ts';
import { slotsOf } from './session-slots.ts';

/** A call that has been begun this often without an outcome takes its workers down: it gets an ERROR result instead of another try. */
const maxDispatches = 5;

/** What the calls of a batch share; the permissions are those that hold when it begins. */
export interface Batch {
  deps: ActivityDeps;
  address: TurnAddress & { requesters?: Requesters };
  agent: EquippedAgent;
  session: SessionRecord;
  policy: PermissionPolicy;
  ledger: CallLedger;
}

/** Where the outcome of a call is committed, and what it tells meanwhile. */
export interface CallLedger {
  /** @param begunAt set for a call that may have no mark yet. */
  settle(call: CallRecord, outcome: ToolOutcome, begunAt?: string): Promise<CallRecord>;
  /** Its worker ended, or the tool itself does not know: it may or may not have happened. */
  leaveUncertain(call: CallRecord, reason: string): Promise<CallRecord>;
  events: Pick<EventStore, 'appendEphemeral'>;
}

/** The call waits for its result in its own turn. */
export function turnLedger({ calls, events }: Store, ref: SessionRef): CallLedger {
  return {
    settle: (call, outcome, begunAt) =>
      calls.settle(ref, call.callId, resultMessage(call, outcome), {
        ...(begunAt === undefined ? {} : { begunAt }),
        ...(outcome.usage ? { usage: outcome.usage } : {}),
      }),
    leaveUncertain: (call, reason) => calls.move(ref, call.callId, { state: 'uncertain', reason }),
    events,
  };
}

/** One call, from its arguments to its committed result. */
export class CallRun {
  readonly #batch: Batch;
  /** The ledger's row as it was before this attempt marked it. */
  readonly #before: CallRecord;
  readonly #signal: AbortSignal;
  readonly #mark: CallMark | undefined;
  #usage: Usage | undefined;
  #questions = 0;
  /** A call has one gate: what it asks at once is asked one after the other. */
  #asking: Promise<unknown> = Promise.resolve();

  /** @param mark absent where this attempt is marked already. */
  constructor(batch: Batch, before: CallRecord, signal: AbortSignal, mark?: CallMark) {
    this.#batch = batch;
    this.#before = before;
    this.#signal = signal;
    this.#mark = mark;
  }

  async perform(): Promise<CallRecord> {
    const before = this.#before;
    // Asking in mid-call: the worker that did has ended.
    const wasAsking = before.state === 'asking' && before.isDispatched;
    if (before.state !== 'allowed' && before.state !== 'pending' && !wasAsking) return before;
    if (wasAsking) {
      const { ref, turn } = this.#batch.address;
      await closeGate(this.#batch.deps.store, { ref, turn, callId: before.callId });
    }
    const tool = this.#batch.agent.toolByName.get(before.name);
    if (!tool)
      return this.#settle(
        errorOutcome(`Nothing was done: ${whyToolIsGone(this.#batch.agent, before.name)}.`),
      );
    const secrets = tool.secrets ?? [];
    const raw = await fillSecrets(
      this.#batch.deps.store,
      this.#batch.address.ref,
      before.sealed ?? before.arguments,
      secrets,
    );
    const parsed = await parseArguments(raw, tool);
    if (!parsed.ok) return this.#settle(errorOutcome(parsed.message));

    const mayRepeat = tool.isIdempotent || tool.isReadOnly(parsed.input);
    if (before.isDispatched && !mayRepeat)
      return this.#uncertain(
        `${before.name} was begun and its worker ended before the outcome was recorded: it may or may not have happened.`,
      );
    if (before.attempts >= maxDispatches)
      return this.#settle(
        errorOutcome(
          `${before.name} was begun ${before.attempts} times and its worker ended each time: don't call it again this way.`,
        ),
      );
    const denial = await this.#denialNow(tool, parsed.input);
    if (denial !== undefined) return this.#settle(textOutcome('denied', `Permission denied: ${denial}`));
    const mark = this.#mark;
    if (mayRepeat && tool.isRemote) mark?.makeSoon();
    else if (mark) {
      // Here it is known that nothing was done yet, though the mark may be there already: another attempt would not know.
      const now = await outlastStore(this.#signal, () => mark.make());
      if (isSettled(now)) return now;
    }
    return this.#run(tool, parsed.input, secretTexts(raw, secrets));
  }

  /** A rule that forbids the call may have come after it was allowed, and its secrets are known only now. */
  async #denialNow(tool: Tool, input: unknown): Promise<string | undefined> {
    const { agent, session, policy } = this.#batch;
    const decision = await judge(agent, tool, input, session, policy);
    return isFinal(decision) ? decision.reason : undefined;
  }

  /** @param secrets texts that must not come back: neither in the result nor while it runs. */
  async #run(tool: Tool, input: unknown, secrets: readonly string[]): Promise<CallRecord> {
    const { ref, turn, requesters } = this.#batch.address;
    const { callId, step } = this.#before;
    const messageId = resultMessageId(turn, step, callId);
    const publisher = new EventPublisher(this.#events(), ref, turn, messageId);
    const turnId = turnIdOf(ref, turn);
    const denied = deniedPatterns(tool, this.#batch.policy);
    try {
      const outcome = await runTool(
        tool,
        input,
        {
          ...ref,
          turnId,
          callId,
          idempotencyKey: `${turnId}:${callId}`,
          attempt: this.#before.attempts + 1,
          signal: this.#signal,
          slots: slotsOf(this.#batch.deps.store.slots, ref),
          ...(requesters ? { requesters } : {}),
          ...(denied.length > 0 ? { deniedPatterns: denied } : {}),
        },
        {
          // A secret may be parted by two pieces of text: where there is one, the text comes with the result.
          onText: (delta) =>
            secrets.length === 0 &&
            publisher.publish([{ kind: 'tool_result_delta', messageId, callId, delta }]),
          onProgress: ({ message, ...progress }) =>
            publisher.publish([
              {
                kind: 'tool_result_delta',
                messageId,
                callId,
                progress: {
                  ...progress,
                  ...(message === undefined ? {} : { message: scrub(message, secrets) }),
                },
              },
            ]),
          onSpend: (usage) => {
            this.#usage = addUsage(this.#usage ?? noUsage, usage);
          },
          onAsk: (question, { waitMs }) => {
            this.#questions += 1;
            const asking = { ref, turn, callId, number: this.#questions };
            const answer = this.#asking.then(async () => {
              await this.#mark?.make();
              return askInCall(this.#batch.deps.store, asking, question, {
                waitMs,
                signal: this.#signal,
                policy: tool.approval ?? this.#batch.agent.permissions.approval,
              });
            });
            this.#asking = answer.catch(() => undefined);
            return answer;
          },
        },
      );
      return await this.#settle(withoutSecrets(outcome, secrets), publisher);
    } catch (error) {
      if (error instanceof OutcomeUnknownError) {
        await publisher.finish();
        await this.#mark?.rest();
        return this.#uncertain(error.message);
      }
      await this.#mark?.rest();
      // An interrupt ends the call for good; any other stop leaves it dispatched, for the next attempt to judge.
      if (!this.#signal.aborted || !isCancelRequested()) throw error;
      return this.#settle(
        textOutcome(
          'interrupted',
          'Interrupted while it ran: it may have taken effect, in whole or in part.',
        ),
        publisher,
      );
    }
  }

  async #settle(outcome: ToolOutcome, publisher?: EventPublisher): Promise<CallRecord> {
    // What was streamed goes: the committed result replaces it.
    await publisher?.finish();
    await this.#mark?.rest();
    const begunAt = publisher && this.#mark?.begunAt;
    const spent = this.#usage ? { ...outcome, usage: this.#usage } : outcome;
    return outlastStore(this.#signal, () => this.#batch.ledger.settle(this.#before, spent, begunAt));
  }

  /** What is streamed follows the mark. */
  #events(): CallLedger['events'] {
    const { events } = this.#batch.ledger;
    return {
      appendEphemeral: async (...streamed) => {
        await this.#mark?.make();
        return events.appendEphemeral(...streamed);
      },
    };
  }

  #uncertain(reason: string): Promise<CallRecord> {
    return this.#batch.ledger.leaveUncertain(this.#before, reason);
  }
}

function withoutSecrets(outcome: ToolOutcome, secrets: readonly string[]): ToolOutcome {
  const parts = outcome.parts.map((part) =>
    part.type === 'text' ? { ...part, text: scrub(part.text, secrets) } : part,
  );
  return { ...outcome, parts };
}
