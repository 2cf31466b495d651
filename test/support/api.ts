import type { Agent } from '../../src/agents/agent.ts';
import { describeAgent } from '../../src/agents/describe-agent.ts';
import {
  createServer,
  listen,
  openAccess,
  type ListenOptions,
  type ServerOptions,
} from '../../src/server/index.ts';
import type { Stack } from './stack.ts';

export interface TestApi {
  url: string;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  send(method: string, path: string, init?: RequestInit): Promise<Answer>;
  close(): Promise<void>;
}

export interface Answer {
  status: number;
  headers: Headers;
  /** Parsed where it is JSON, else the text. */
  body: any; // oxlint-disable-line typescript/no-explicit-any -- tests assert on its parts
}

/** All files share one Temporal: a session of one must not meet the workflow that another left under the same name. */
export const apiOwner = `acme-${process.pid}`;

/** The API of a stack, on a port. Without an authenticator everybody works for `owner`. */
export async function startApi(
  stack: Stack,
  options: Partial<Omit<ServerOptions, 'agents'>> & {
    owner?: string;
    agents?: Agent[];
    limits?: ListenOptions['limits'];
  } = {},
): Promise<TestApi> {
  const { owner = apiOwner, agents, limits, ...rest } = options;
  const server = createServer({
    client: stack.client,
    schedules: stack.client.schedules,
    pipelines: stack.client.pipelines,
    authenticate: openAccess(owner),
    ...(agents ? { agents: () => agents.map(describeAgent) } : {}),
    ...rest,
  });
  const listening = await listen(server, { port: 0, ...(limits ? { limits } : {}) });
  const send = async (method: string, path: string, init: RequestInit = {}): Promise<Answer> => {
    const response = await fetch(`${listening.url}${path}`, { method, ...init });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    return {
      status: response.status,
      headers: response.headers,
      body: isJson ? (JSON.parse(text) as unknown) : text,
    };
  };
  return {
    url: listening.url,
    send,
    get: (path, headers = {}) => send('GET', path, { headers }),
    post: (path, body, headers = {}) =>
      send('POST', path, {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      }),
    close: () => listening.close(1_000),
  };
}
