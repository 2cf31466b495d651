import OpenAI from 'openai';
import type { Json } from '../schema/message.ts';
import { readErrorBody } from './error-body.ts';
import { ModelError } from './model-error.ts';

/** Where a provider's models are reached. */
export interface Endpoint {
  /** The provider's name, as in `provider/model`. */
  provider: string;
  baseUrl: string;
  apiKey?: string | undefined;
  headers?: Record<string, string> | undefined;
}

export const openAiUrl = 'https://api.openai.com/v1';

export function isOpenAi(baseUrl: string): boolean {
  return new URL(baseUrl).hostname.endsWith('openai.com');
}

/** The SDK for an endpoint: it builds and sends the request. Its retries are off, for Temporal's are on. */
export function openClient(endpoint: Endpoint): OpenAI {
  const { baseUrl, apiKey, headers, provider } = endpoint;
  // The SDK would fill these from the environment, and so send OpenAI's credentials to whoever runs this endpoint.
  const account = isOpenAi(baseUrl) ? {} : { organization: null, project: null };
  return new OpenAI({
    baseURL: baseUrl,
    // It insists on a key; where there is none, the header that would carry it is left out below.
    apiKey: apiKey ?? 'none',
    adminAPIKey: null,
    ...account,
    maxRetries: 0,
    defaultHeaders: { ...(apiKey === undefined ? { authorization: null } : {}), ...headers },
    fetch: async (url, init) => {
      if (apiKey === undefined && isOpenAi(baseUrl)) throw missingKey(provider);
      return fetchWithReadableErrors(url, init);
    },
  });
}

/** The SDK reads a message from `{ error: { message } }` alone; what else an endpoint says is brought into this form. */
async function fetchWithReadableErrors(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (response.ok) return response;
  const text = await response.text();
  return new Response(JSON.stringify({ error: readErrorBody(parseLoosely(text)) }), {
    status: response.status,
    headers: response.headers,
  });
}

function parseLoosely(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

function missingKey(provider: string): ModelError {
  return new ModelError(
    'authentication',
    `No API key for provider "${provider}": set OPENAI_API_KEY, or models.${provider}.apiKey in the config`,
  );
}
