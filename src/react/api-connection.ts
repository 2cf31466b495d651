import { ApiError, apiErrorOf } from './api-error.ts';

export interface ApiOptions {
  /** Where the API is; default: where the page is from. */
  baseUrl?: string;
  /** A function is asked for each request. Leave it out where a gateway adds the key: keys have no place in pages for everybody. */
  apiKey?: string | (() => string | undefined);
  fetch?: typeof fetch;
}

export interface ApiRequest {
  method?: 'GET' | 'POST' | 'DELETE';
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** The HTTP API, as a page reaches it. */
export class ApiConnection {
  readonly #options: ApiOptions;

  constructor(options: ApiOptions = {}) {
    this.#options = options;
  }

  /** @throws ApiError for every answer that is none of success. */
  async send(path: string, request: ApiRequest = {}): Promise<Response> {
    const { method = 'GET', body, headers = {}, signal } = request;
    const { baseUrl = '', apiKey, fetch: send = fetch } = this.#options;
    const key = typeof apiKey === 'function' ? apiKey() : apiKey;
    let response: Response;
    try {
      response = await send(`${baseUrl.replace(/\/$/, '')}${path}`, {
        method,
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal ? { signal } : {}),
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new ApiError({ code: 'unreachable', status: 0 }, 'The server does not answer', { cause: error });
    }
    if (!response.ok) throw await apiErrorOf(response);
    return response;
  }

  /** The JSON of an answer; undefined where it has no body. */
  async json<T>(path: string, request: ApiRequest = {}): Promise<T> {
    const response = await this.send(path, request);
    return (response.status === 204 ? undefined : await response.json()) as T;
  }
}

/** The words of a failure, for people. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
