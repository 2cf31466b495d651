import { Context } from '@temporalio/activity';
import type { Agent } from '../agents/agent.ts';
import type { CallChange, TurnAddress } from '../contracts/activities.ts';
import { turnIdOf } from '../contracts/ids.ts';
import { resultMessageId } from '../core/message-ids.ts';
import { scrub, secretTexts } from '../core/redact.ts';
import type { PermissionPolicy } from '../core/permission.ts';
import type { CallRecord, SessionRecord } from '../store/store.ts';
import { parseArguments } from '../tools/parse-arguments.ts';
import { runTool } from '../tools/run-tool.ts';
import { OutcomeUnknownError } from '../tools/outcome-unknown.ts';
import { errorOutcome } from '../tools/tool-errors.ts';
import type { Tool, ToolOutcome } from '../tools/tool.ts';
import { askInCall } from './ask-in-call.ts';
import type { ActivityDeps } from './deps.ts';
import { equip } from './equip.ts';
import { EventPublisher } from './event-publisher.ts';
import { isFinal, judge } from './judge.ts';
import { policyOf } from './policy.ts';
import { isCancelRequested, stopFailure, whileBeating } from './liveness.ts';
import { outlastStore } from './outlast-store.ts';
import { resultMessage, textOutcome } from './result-message.ts';
import { fillSecrets } from './secret-answers.ts';
import { slotsOf } from './session-slots.ts';
import { toFailure } from './to-failure.ts';

/** A call that has been begun this often without an outcome takes its workers down: it gets an ERROR result instead of another try. */
const maxDispatches = 5;

/**
 * Runs the calls of one batch side by side. Each has its own ledger entry: what an earlier attempt committed is returned, what it began is
 * run again only where that can't act twice, else it becomes uncertain.
 */
export async function runTools(
  deps: ActivityDeps,
  input: TurnAddress & { step: number; callIds: string[] },
): Promise<CallChange[]> {
  const { attempt } = Context.current().info;
  try {
    const agent = await equip(deps, deps.agents.get(input.agent), input.ref);
    const before = await deps.store.calls.dispatch(input.ref, input.callIds);
    const session = await deps.store.sessions.open(input.ref, input.agent);
    const batch: Batch = {
      deps,
      address: input,
      agent,
      session,
      policy: await policyOf(deps, agent, session),
    };
    const done = new Set<string>();
    const records = await whileBeating(
      () => ({ step: input.step, done: done.size, of: before.length }),
      (signal) =>
        Promise.all(
          before.map(async (record) => {
            const after = await new CallRun(batch, record, signal).perform();
            done.add(record.callId);
            return after;
          }),
        ),
    );
    if (isCancelRequested()) throw stopFailure();
    return records.map(({ callId, state, reason }) => ({
      callId,
      state,
      ...(reason === undefined ? {} : { reason }),
    }));
  } catch (error) {
    if (Context.current().cancellationSignal.aborted) throw stopFailure();
    throw toFailure(error, attempt, Number.POSITIVE_INFINITY);
  }
}

/** What the calls of a batch share; the permissions are those that hold when it begins. */
interface Batch {
  deps: ActivityDeps;
  address: TurnAddress;
  agent: Agent;
  session: SessionRecord;
  policy: PermissionPolicy;
}

class CallRun {
  readonly #batch: Batch;
  /** The ledger's row as it was before this attempt marked it. */
  readonly #before: CallRecord;
  readonly #signal: AbortSignal;

  constructor(batch: Batch, before: CallRecord, signal: AbortSignal) {
    this.#batch = batch;
    this.#before = before;
    this.#signal = signal;
  }

  async perform(): Promise<CallRecord> {
    const before = this.#before;
    // Asking in mid-call: the worker that did has ended.
    const wasAsking = before.state === 'asking' && before.isDispatched;
    if (before.state !== 'allowed' && before.state !== 'pending' && !wasAsking) return before;
    if (wasAsking)
      await this.#batch.deps.store.calls.move(this.#batch.address.ref, before.callId, { state: 'allowed' });
    const tool = this.#batch.agent.toolByName.get(before.name);
    if (!tool)
      return this.#settle(errorOutcome(`The tool ${before.name} is not part of the agent any more.`));
    const secrets = tool.secrets ?? [];
    const raw = await fillSecrets(
      this.#batch.deps.store,
      this.#batch.address.ref,
      before.sealed ?? before.arguments,
      secrets,
    );
    const parsed = await parseArguments(raw, tool);
    if (!parsed.ok) return this.#settle(errorOutcome(parsed.message));

    if (before.isDispatched && !tool.isIdempotent && !tool.isReadOnly(parsed.input))
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
    const { ref, turn } = this.#batch.address;
    const { callId, step } = this.#before;
    const messageId = resultMessageId(turn, step, callId);
    const publisher = new EventPublisher(this.#batch.deps.store.events, ref, turn, messageId);
    const turnId = turnIdOf(ref, turn);
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
          onAsk: (question, { waitMs }) =>
            askInCall(this.#batch.deps.store, { ref, turn, callId }, question, {
              waitMs,
              signal: this.#signal,
              policy: tool.approval ?? this.#batch.agent.permissions.approval,
            }),
        },
      );
      return await this.#settle(withoutSecrets(outcome, secrets), publisher);
    } catch (error) {
      if (error instanceof OutcomeUnknownError) {
        await publisher.finish();
        return this.#uncertain(error.message);
      }
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
    const message = resultMessage(this.#before, outcome);
    return outlastStore(this.#signal, () =>
      this.#batch.deps.store.calls.settle(this.#batch.address.ref, this.#before.callId, message),
    );
  }

  #uncertain(reason: string): Promise<CallRecord> {
    return this.#batch.deps.store.calls.move(this.#batch.address.ref, this.#before.callId, {
      state: 'uncertain',
      reason,
    });
  }
}

function withoutSecrets(outcome: ToolOutcome, secrets: readonly string[]): ToolOutcome {
  const parts = outcome.parts.map((part) =>
    part.type === 'text' ? { ...part, text: scrub(part.text, secrets) } : part,
  );
  return { ...outcome, parts };
}
