import type { ModelCapabilities } from './model.ts';

const documents = ['image/*', 'application/pdf'];

/**
 * OpenAI's models by the beginning of their names, the first match counts. Context sizes as OpenAI's model pages give them
 * (https://developers.openai.com/api/docs/models, as quoted by gateways' catalogs in November 2026); a provider's `models` setting overrides them.
 */
const openAiModels: [name: RegExp, capabilities: ModelCapabilities][] = [
  [/^gpt-5[\d.]*-chat/, { contextTokens: 128_000, inputMedia: documents }],
  [/^gpt-5\.4-(mini|nano)/, { contextTokens: 400_000, inputMedia: documents, isReasoning: true }],
  [/^gpt-5\.[456]/, { contextTokens: 1_050_000, inputMedia: documents, isReasoning: true }],
  [/^gpt-5/, { contextTokens: 400_000, inputMedia: documents, isReasoning: true }],
  [/^gpt-6/, { contextTokens: 1_050_000, inputMedia: documents, isReasoning: true }],
  [/^gpt-4\.1/, { contextTokens: 1_047_576, inputMedia: documents }],
  [/^(chat)?gpt-4o/, { contextTokens: 128_000, inputMedia: documents }],
  [/^gpt-4-turbo/, { contextTokens: 128_000, inputMedia: ['image/*'] }],
  [/^gpt-4/, { contextTokens: 8_192, inputMedia: [] }],
  [/^gpt-3\.5/, { contextTokens: 16_385, inputMedia: [] }],
  [/^o3-mini/, { contextTokens: 200_000, inputMedia: [], isReasoning: true }],
  [/^o\d/, { contextTokens: 200_000, inputMedia: documents, isReasoning: true }],
];

/** For models that nobody described. */
const defaultCapabilities: ModelCapabilities = { contextTokens: 128_000, inputMedia: ['image/*'] };

export function capabilitiesOf(model: string): ModelCapabilities {
  return openAiModels.find(([name]) => name.test(model))?.[1] ?? defaultCapabilities;
}
