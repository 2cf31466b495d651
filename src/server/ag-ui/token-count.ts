import { addUsage, noUsage } from '../../core/usage.ts';
import type { AgentEvent } from '../../schema/event.ts';
import type { Json, Usage } from '../../schema/message.ts';

/** What the model calls of a run used, those of sessions below included, by model. */
export class TokenCount {
  readonly #usage = new Map<string, Usage>();
  /** Of the calls that run, by turn and message. */
  readonly #models = new Map<string, string>();

  count(event: AgentEvent): void {
    if (event.kind === 'model_call_start') this.#models.set(keyOf(event), event.model);
    if (event.kind !== 'model_call_end') return;
    const model = this.#models.get(keyOf(event)) ?? '';
    this.#models.delete(keyOf(event));
    this.#usage.set(model, addUsage(this.#usage.get(model) ?? noUsage, event.usage));
  }

  /** A terminal event's `usage`; absent where no model was called. */
  field(): { usage?: Json } {
    if (this.#usage.size === 0) return {};
    const usage = [...this.#usage].map(([model, counts]): Json => {
      const totalTokens = counts.inputTokens + counts.outputTokens;
      return { ...nameOf(model), ...counts, totalTokens };
    });
    return { usage };
  }
}

function keyOf({ turnId, messageId }: { turnId: string; messageId: string }): string {
  return `${turnId} ${messageId}`;
}

/** `openai/gpt-5` is a model of a provider. */
function nameOf(name: string): { provider?: string; model?: string } {
  const at = name.indexOf('/');
  if (name === '') return {};
  return at < 0 ? { model: name } : { provider: name.slice(0, at), model: name.slice(at + 1) };
}
