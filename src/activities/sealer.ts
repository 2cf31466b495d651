import type { Agent } from '../agents/agent.ts';
import { redactArguments, redactWhole } from '../core/redact.ts';
import type { EventBody } from '../schema/event.ts';

/** Paths of fields, or all that there is. */
type Secrets = readonly string[] | 'all';

/**
 * Holds back the arguments of calls whose tool declares secret fields, or is unknown where others do, until they are whole and can be told without them: a fragment can't
 * be redacted. What was held back is kept for the call itself.
 */
export class Sealer {
  readonly #agent: Agent;
  readonly #held = new Map<string, { raw: string; secrets: Secrets }>();

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
      const secrets = this.#secretsOf(event.name);
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
    const delta = held.secrets === 'all' ? redactWhole(held.raw) : redactArguments(held.raw, held.secrets);
    return [{ kind: 'tool_call_delta', messageId, callId, delta }, event];
  }

  /** A misspelled name leaves open which tool was meant, and so where its secrets are. */
  #secretsOf(name: string): Secrets {
    const tool = this.#agent.toolByName.get(name);
    if (tool) return tool.secrets ?? [];
    return this.#agent.tools.some(({ secrets = [] }) => secrets.length > 0) ? 'all' : [];
  }
}
