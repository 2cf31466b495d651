import type OpenAI from 'openai';
import { capabilitiesOf } from './capabilities.ts';
import { createChatAdapter } from './chat-completions.ts';
import { type Endpoint, isOpenAi, openAiUrl, openClient } from './endpoint.ts';
import { ModelError } from './model-error.ts';
import type { ModelCapabilities, ResolvedModel } from './model.ts';
import { createResponsesAdapter } from './responses.ts';

/** A provider of models, under the name by which agents refer to it. */
export interface ProviderConfig {
  /** Ends in `/v1` as a rule. Optional for `openai` only. */
  baseUrl?: string;
  /** Optional for endpoints that want none. */
  apiKey?: string;
  /** The dialect. Default: `responses` for OpenAI itself, `chat` for all others. */
  api?: 'chat' | 'responses';
  /** What its models can take, by the endpoint's name for them. */
  models?: Record<string, Partial<ModelCapabilities>>;
  /** Sent with every request. */
  headers?: Record<string, string>;
}

export interface ModelRegistryConfig {
  providers?: Record<string, ProviderConfig>;
  /** Where `OPENAI_BASE_URL` and `OPENAI_API_KEY` are read from. Default `process.env`. */
  env?: Record<string, string | undefined>;
}

export interface ModelRegistry {
  /**
   * The model behind an agent's `provider/name`; the name may hold more slashes.
   * Throws a `ModelError` of code `model_not_found` that names what is wrong. A missing API key shows at the first call.
   */
  resolve(model: string): ResolvedModel;
}

interface Provider {
  endpoint: Endpoint;
  client: OpenAI;
  api: 'chat' | 'responses';
  models: Record<string, Partial<ModelCapabilities>>;
}

/** `openai` is always there: it is set by `OPENAI_BASE_URL` and `OPENAI_API_KEY`, unless `providers.openai` (a config's `models.openai`) says otherwise. */
export function createModelRegistry(config: ModelRegistryConfig = {}): ModelRegistry {
  const configs = withDefaultProvider(config);
  const open = new Map<string, Provider>();
  return {
    resolve(ref) {
      const slash = ref.indexOf('/');
      const [name, model] = [ref.slice(0, slash), ref.slice(slash + 1)];
      if (slash < 1 || model === '')
        throw notFound(`model "${ref}" must look like provider/name, for example openai/gpt-5-mini`);
      const provider = open.get(name) ?? openProvider(name, configs);
      open.set(name, provider);
      const capabilities = { ...capabilitiesOf(model), ...provider.models[model] };
      const create = provider.api === 'chat' ? createChatAdapter : createResponsesAdapter;
      return { adapter: create(provider.endpoint, capabilities, provider.client), model, capabilities };
    },
  };
}

function withDefaultProvider({
  providers,
  env = process.env,
}: ModelRegistryConfig): Record<string, ProviderConfig> {
  const own = providers?.['openai'];
  const baseUrl = own?.baseUrl ?? (env['OPENAI_BASE_URL'] || openAiUrl);
  const apiKey = own?.apiKey ?? (env['OPENAI_API_KEY'] || undefined);
  return { ...providers, openai: { ...own, baseUrl, ...(apiKey === undefined ? {} : { apiKey }) } };
}

function openProvider(name: string, configs: Record<string, ProviderConfig>): Provider {
  const config = Object.hasOwn(configs, name) ? configs[name] : undefined;
  if (!config)
    throw notFound(
      `no model provider is named "${name}". Known: ${Object.keys(configs).join(', ')}. Add it to the config as models.${name}`,
    );
  const { baseUrl, apiKey, headers, api, models } = config;
  const field = name === 'openai' ? 'OPENAI_BASE_URL (or models.openai.baseUrl)' : `models.${name}.baseUrl`;
  if (baseUrl === undefined || !URL.canParse(baseUrl))
    throw notFound(
      `${field} must be a URL such as http://127.0.0.1:8000/v1, it is ${baseUrl === undefined ? 'missing' : `"${baseUrl}"`}`,
    );
  const endpoint: Endpoint = { provider: name, baseUrl, apiKey, headers };
  return {
    endpoint,
    client: openClient(endpoint),
    api: api ?? (isOpenAi(baseUrl) ? 'responses' : 'chat'),
    models: models ?? {},
  };
}

function notFound(message: string): ModelError {
  return new ModelError('model_not_found', message);
}
