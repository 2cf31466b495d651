import { randomUUID } from 'node:crypto';
import type { Agent } from '../agents/agent.ts';
import type { CallModelInput } from '../contracts/activities.ts';
import { turnIdOf } from '../contracts/ids.ts';
import { compactEvents } from '../core/compact-events.ts';
import { foldEvents } from '../core/fold-events.ts';
import { stepMessageId } from '../core/message-ids.ts';
import { StreamAccumulator } from '../core/stream-accumulator.ts';
import { outputToolName } from '../core/output-tool.ts';
import type { ModelRequest, ResolvedModel, ToolChoice } from '../model/model.ts';
import type { EventBody } from '../schema/event.ts';
import type { MsgDraft, SessionRecord } from '../store/store.ts';
import type { AssembledContext } from './assemble-context.ts';
import type { ActivityDeps } from './deps.ts';
import { EventPublisher } from './event-publisher.ts';
import { isCancelRequested } from './liveness.ts';
import { Sealer } from './sealer.ts';

/** What the model reads when the iterations are used up. */
const summaryInstruction =
  'The limit of steps for this turn is reached, and no tool can be called any more. Answer the user now with what you have: say what was done, and what is left.';

/** One attempt at the endpoint, streamed to observers. */
export class ModelCall {
  readonly #publisher: EventPublisher;
  readonly #accumulator: StreamAccumulator;
  readonly #sealer: Sealer;
  readonly #input: CallModelInput;
  readonly #agent: Agent;
  readonly #messageId: string;
  readonly #start: EventBody;
  #chunks = 0;

  constructor(
    deps: ActivityDeps,
    input: CallModelInput,
    agent: Agent,
    session: SessionRecord,
    attempt: number,
  ) {
    this.#input = input;
    this.#agent = agent;
    this.#messageId = stepMessageId(input.turn, input.step);
    this.#publisher = new EventPublisher(deps.store.events, input.ref, input.turn, this.#messageId);
    this.#accumulator = new StreamAccumulator(this.#messageId, newCallId);
    this.#sealer = new Sealer(agent);
    this.#start = {
      kind: 'model_call_start',
      messageId: this.#messageId,
      seq: session.head + 1,
      step: input.step,
      attempt,
      model: agent.model,
      createdAt: new Date().toISOString(),
    };
  }

  /** What a heartbeat tells. */
  get progress() {
    return { step: this.#input.step, chunks: this.#chunks };
  }

  async run(model: ResolvedModel, context: AssembledContext, signal: AbortSignal) {
    this.#publisher.publish([this.#start]);
    let isInterrupted = false;
    try {
      for await (const chunk of model.adapter.call(this.#request(model, context), signal)) {
        this.#chunks += 1;
        this.#publisher.publish(this.#sealer.pass(this.#accumulator.push(chunk)));
      }
    } catch (error) {
      isInterrupted = signal.aborted && isCancelRequested();
      if (!isInterrupted) {
        await this.#publisher.finish();
        throw error;
      }
    }
    const end = this.#sealer.pass(
      isInterrupted ? this.#accumulator.end('interrupted') : this.#accumulator.end(),
    );
    const { sent, unsent } = await this.#publisher.finish();
    const events = [...unsent, ...end];
    return {
      message: this.#message([...sent.map(({ body }) => body), ...events]),
      kept: compactEvents(sent),
      events,
      isInterrupted,
      rawOf: (callId: string) => this.#sealer.rawOf(callId),
    };
  }

  #request(model: ResolvedModel, context: AssembledContext): ModelRequest {
    const { settings, isStreaming, timeouts, providerTools } = this.#agent;
    const isSummary = this.#input.tools === 'none';
    const toolChoice = this.#toolChoice(context);
    return {
      model: model.model,
      system: isSummary ? `${context.system}\n\n${summaryInstruction}` : context.system,
      messages: context.messages,
      tools: context.tools,
      ...(toolChoice === undefined ? {} : { toolChoice }),
      ...(this.#input.tools === 'auto' && providerTools.length > 0 ? { providerTools } : {}),
      settings,
      isStreaming,
      timeouts,
    };
  }

  /** What was asked for is not sent where no such tool is: endpoints refuse the call then. */
  #toolChoice({ tools }: AssembledContext): ToolChoice | undefined {
    if (this.#input.tools === 'output') return { tool: outputToolName };
    const { toolChoice } = this.#agent;
    const { ref, step } = this.#input;
    const choice =
      typeof toolChoice === 'function' ? toolChoice({ ...ref, agent: this.#agent.name, step }) : toolChoice;
    if (tools.length === 0 || choice === undefined) return undefined;
    const isThere = typeof choice === 'string' || tools.some(({ name }) => name === choice.tool);
    return isThere ? choice : undefined;
  }

  /** The stored message is what observers would fold from the events: there is one account of it. */
  #message(bodies: EventBody[]): MsgDraft {
    const stamp = { turnId: turnIdOf(this.#input.ref, this.#input.turn), at: '' };
    const [message] = foldEvents(bodies.map((body) => ({ ...body, ...stamp })));
    if (!message) throw new Error('a model call left no message');
    const { seq: _, ...draft } = message;
    return draft;
  }
}

/** Ids of calls are unique over all sessions: a person may answer one without naming its session. */
function newCallId(): string {
  return `call_${randomUUID().replaceAll('-', '').slice(0, 20)}`;
}
