import type { Price } from '../schema/api-config.ts';
import type { Usage } from '../schema/message.ts';

/** What the tokens cost, in the prices' currency. Those that came from the provider's cache are part of the input. */
export function costOf(usage: Usage, { input, output, cachedInput = input }: Price): number {
  const fresh = usage.inputTokens - usage.cachedInputTokens;
  return (fresh * input + usage.cachedInputTokens * cachedInput + usage.outputTokens * output) / 1_000_000;
}
