import type { Agent } from '../agents/agent.ts';
import { APIConnectionError, APIError } from 'openai';
import { openAiUrl, openClient } from '../model/endpoint.ts';
import type { ModelProviderConfig } from '../schema/agent.ts';
import { fail, ok, warn, type Check } from './check.ts';
import { describeError } from './report-error.ts';

const answerMs = 10_000;

/** Asks each endpoint that the agents use for its models, with its key. */
export async function checkModels(
  agents: readonly Agent[],
  providers: Record<string, ModelProviderConfig>,
): Promise<Check[]> {
  const used = new Map<string, Set<string>>();
  for (const { model } of agents) {
    const [provider, name] = splitModel(model);
    used.set(provider, (used.get(provider) ?? new Set()).add(name));
  }
  return Promise.all(
    [...used].map(([provider, models]) => checkProvider(provider, models, providers[provider])),
  );
}

async function checkProvider(
  provider: string,
  models: ReadonlySet<string>,
  config: ModelProviderConfig | undefined,
): Promise<Check> {
  const name = `model endpoint ${provider}`;
  const baseUrl = config?.baseUrl ?? (provider === 'openai' ? openAiUrl : undefined);
  if (baseUrl === undefined)
    return fail(
      name,
      'its address is not known',
      `write models: { ${provider}: { baseUrl: … } } into the config`,
    );
  const key = provider === 'openai' ? 'OPENAI_API_KEY' : `models.${provider}.apiKey of the config`;
  const url = provider === 'openai' ? 'OPENAI_BASE_URL' : `models.${provider}.baseUrl of the config`;
  try {
    const client = openClient({ provider, baseUrl, apiKey: config?.apiKey, headers: config?.headers });
    const { data } = await client.models.list({ timeout: answerMs });
    const listed = new Set(data.map(({ id }) => id));
    const missing = [...models].filter((model) => !listed.has(model));
    if (missing.length === 0) return ok(name, `${baseUrl} answers, and knows ${[...models].join(', ')}`);
    return warn(
      name,
      `${baseUrl} answers, and does not list ${missing.join(', ')}`,
      'correct the model of the agent, unless the endpoint takes names that it does not list',
    );
  } catch (error) {
    return explain(name, baseUrl, error, { key, url });
  }
}

function explain(
  name: string,
  baseUrl: string,
  error: unknown,
  settings: { key: string; url: string },
): Check {
  const { message } = describeError(error);
  const status = error instanceof APIError ? error.status : undefined;
  if (status === 401 || status === 403)
    return fail(name, `${baseUrl} refuses the key: ${message}`, `correct ${settings.key}`);
  if (status === 404)
    return warn(
      name,
      `${baseUrl} answers, and lists no models (404)`,
      `nothing, if it is right; else correct ${settings.url}, which ends in /v1 as a rule`,
    );
  if (error instanceof APIConnectionError && isMissingKey(error))
    return fail(name, describeError(error.cause).message, `set ${settings.key}`);
  return fail(
    name,
    `${baseUrl} does not answer as it should: ${message}`,
    `start it, or correct ${settings.url}`,
  );
}

function isMissingKey({ cause }: Error): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'authentication';
}

function splitModel(model: string): [provider: string, name: string] {
  const slash = model.indexOf('/');
  return [model.slice(0, slash), model.slice(slash + 1)];
}
