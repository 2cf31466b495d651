import type { Agent } from '../agents/agent.ts';
import { redactArguments } from '../core/redact.ts';
import type { EventBody } from '../schema/event.ts';

/**
 * Holds back the arguments of calls whose tool declares secret fields, until they are whole and can be told without them: a fragment can't
 * be redacted. What was held back is kept for the call itself.
 */
export class Sealer {
  readonly #agent: Agent;
  readonly #held = new Map<string, { raw: string; secrets: readonly string[] }>();

  constructor(agent: Agent) {
    this.#agent = agent;
  }

  /** The events as observers may see them. */
  pass(events: readonly EventBody[]): EventBody[] {
    return events.flatMap((event) => this.#passOne(event));
  }

  /** The arguments as the model wrote them, of a call that was sealed. */
  rawOf(callId: string): string | undefined {
    return this.#held.get(callId)?.raw;
  }

  #passOne(event: EventBody): EventBody[] {
    if (event.kind === 'tool_call_start') {
      const secrets = this.#agent.toolByName.get(event.name)?.secrets ?? [];
      if (secrets.length > 0) this.#held.set(event.callId, { raw: '', secrets });
      return [event];
    }
    if (event.kind !== 'tool_call_delta' && event.kind !== 'tool_call_end') return [event];
    const held = this.#held.get(event.callId);
    if (!held) return [event];
    if (event.kind === 'tool_call_delta') {
      held.raw += event.delta;
      return [];
    }
    const { messageId, callId } = event;
    return [
      { kind: 'tool_call_delta', messageId, callId, delta: redactArguments(held.raw, held.secrets) },
      event,
    ];
  }
}
