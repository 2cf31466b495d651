import type { ModelProviderConfig } from '../schema/agent.ts';

/** The config's providers of models, with OPENAI_BASE_URL and OPENAI_API_KEY over what it says of `openai`. */
export function modelSettings(
  models: Record<string, ModelProviderConfig> = {},
  env: Record<string, string>,
): Record<string, ModelProviderConfig> {
  const baseUrl = env['OPENAI_BASE_URL'];
  const apiKey = env['OPENAI_API_KEY'];
  return {
    ...models,
    openai: {
      ...models['openai'],
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...(apiKey === undefined ? {} : { apiKey }),
    },
  };
}
