import { once } from 'node:events';
import { connect } from 'node:net';
import type { EventSourceMessage } from 'eventsource-parser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { DurascopeClient } from '../../src/client/index.ts';
import { foldEvents } from '../../src/core/fold-events.ts';
import type { AgentEvent } from '../../src/schema/event.ts';
import { says } from '../../src/testing/index.ts';
import { startCli, type RunningCli } from '../cli/cli-process.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { hasPostgres, startPostgres, type TestPostgres } from '../support/postgres.ts';
import { openSse, readUntil } from '../support/sse.ts';
import { startStack, type Stack } from '../support/stack.ts';

const agent = defineAgent({ name: 'writer', model: 'openai/gpt-test', instructions: 'Write.' });
const owner = `acme-${process.pid}`;
/** A second of streaming. */
const story = 'word '.repeat(200);
const slowly = { fragment: 10, delayMs: 10 };

interface Api {
  url: string;
  process: RunningCli;
}

describe.skipIf(!hasPostgres())('server processes on one PostgreSQL', () => {
  let postgres: TestPostgres;
  let stack: Stack;
  /** Each test does away with one. */
  let apis: [Api, Api, Api];
  beforeAll(async () => {
    postgres = await startPostgres();
    stack = await startStack({ agents: [agent], storeUrl: await postgres.createDatabase() });
    apis = await Promise.all([startServer(), startServer(), startServer()]);
  });
  afterAll(async () => {
    for (const { process } of apis) process.kill('SIGKILL');
    await stack.stop();
    await postgres.stop();
  });

  async function startServer(): Promise<Api> {
    const args = ['serve', '--port', '0', '--task-queue', stack.taskQueue];
    const process = startCli(args, {
      cwd: '/tmp',
      env: {
        TEMPORAL_ADDRESS: stack.address,
        DURASCOPE_STORE: stack.storeUrl,
        DURASCOPE_OWNER: owner,
      },
    });
    return { process, url: await process.waitFor(/"url":"(http:[^"]+)"/) };
  }

  it('go on with a stream where another one was killed: no gap, no repeat, and a client does so by itself', async () => {
    const [first, second] = apis;
    stack.model.says(story, slowly);
    const over = await DurascopeClient.connect({
      baseUrl: first.url,
      // What a load balancer does: the address is the same, the process another.
      fetch: async (input, init) => {
        const address = String(input instanceof Request ? input.url : input);
        const isGone = first.process.child.exitCode !== null || first.process.child.signalCode !== null;
        return fetch(isGone ? address.replace(first.url, second.url) : address, init);
      },
    });
    const session = over.session({ owner, id: 'killed', agent: 'writer' });
    const turn = await session.submit('Tell');
    const byHand = await openSse(`${first.url}/v1/sessions/killed/events`);
    const messages: EventSourceMessage[] = [];
    const reading = (async () => {
      try {
        for await (const message of byHand.messages) messages.push(message);
      } catch {
        // The connection broke.
      }
    })();
    const events: AgentEvent[] = [];
    let deltas = 0;
    for await (const event of turn.events()) {
      events.push(event);
      if (event.kind === 'text_delta' && ++deltas === 10) first.process.kill('SIGKILL');
    }
    await reading;
    const { items } = await stack.client.session({ owner, id: 'killed' }).messages();
    expect(foldEvents(events)).toEqual(items);
    const ids = events.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));

    expect(messages.some(({ event }) => event === 'turn_end')).toBe(false);
    const rest = await openSse(`${second.url}/v1/sessions/killed/events`, {
      'last-event-id': messages.at(-1)?.id ?? '0',
    });
    const all = [...messages, ...(await readUntil(rest, 'turn_end'))];
    expect(foldEvents(all.map(({ data }) => JSON.parse(data) as AgentEvent))).toEqual(items);
  });

  it('show each other’s events live, to many who come and go', async () => {
    const [, first, second] = apis;
    stack.model.answers(() => says(story, slowly));
    const submitted = await fetch(`${first.url}/v1/sessions/storm/turns`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ agent: 'writer', input: 'Tell' }),
    });
    expect(submitted.status).toBe(202);
    // Each takes a few messages and comes back with its cursor, all of them again and again.
    const follow = async (nth: number): Promise<AgentEvent[]> => {
      const seen: AgentEvent[] = [];
      for (let round = 0; ; round++) {
        const url = (nth + round) % 2 === 0 ? first.url : second.url;
        const stream = await openSse(`${url}/v1/sessions/storm/events`, {
          'last-event-id': String(seen.at(-1)?.id ?? 0),
        });
        let taken = 0;
        for await (const { data } of stream.messages) {
          const event = JSON.parse(data) as AgentEvent;
          seen.push(event);
          if (event.kind === 'turn_end') return seen;
          if (++taken === 7 + (nth % 5)) break;
        }
        stream.close();
      }
    };
    const all = await Promise.all(Array.from({ length: 15 }, (_, nth) => follow(nth)));
    const { items } = await stack.client.session({ owner, id: 'storm' }).messages();
    for (const events of all) expect(foldEvents(events)).toEqual(items);
  });

  it('end a wait and a stream at once when told to stop, and let a request in flight end', async () => {
    const [, , { url, process }] = apis;
    stack.model.hangs({ before: 'firstToken' });
    const post = await fetch(`${url}/v1/sessions/drained/turns`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ agent: 'writer', input: 'Wait' }),
    });
    const { turnId } = (await post.json()) as { turnId: string };
    const stream = await openSse(`${url}/v1/sessions/drained/events`);
    const read = readUntil(stream, 'turn_end');
    await readUntil(await openSse(`${url}/v1/sessions/drained/events`), 'model_call_start');
    const waiting = fetch(`${url}/v1/turns/${encodeURIComponent(turnId)}?wait=60&until=end`);
    // The wait is at the server once a later request of the same kind was answered.
    await fetch(`${url}/v1/turns/${encodeURIComponent(turnId)}`);
    process.kill('SIGTERM');
    const answer = await waiting;
    expect([200, 503]).toContain(answer.status);
    expect((await read).some(({ event }) => event === 'model_call_start')).toBe(true);
    expect((await process.finished).code).toBe(0);
    await stack.client.session({ owner, id: 'drained' }).interrupt();
  });
});

describe('a server', () => {
  let stack: Stack;
  let api: TestApi;
  beforeAll(async () => {
    stack = await startStack({ agents: [agent], isStarted: false });
    api = await startApi(stack, {
      limits: { headersMs: 300, requestMs: 600, checkMs: 100 },
    });
  });
  afterAll(async () => {
    await api.close();
    await stack.stop();
  });

  /** What the server sends back to these bytes, until it closes the connection. */
  async function raw(...writes: string[]): Promise<string> {
    const { hostname, port } = new URL(api.url);
    const socket = connect(Number(port), hostname);
    let received = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
    socket.on('error', () => {});
    const closed = once(socket, 'close');
    for (const text of writes) socket.write(text);
    await closed;
    return received;
  }

  it('closes a connection whose headers or body do not come whole in time', async () => {
    expect(await raw('POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\n')).toContain('408');
    const head = 'POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
    expect(await raw(`${head}Content-Length: 100\r\n\r\n{"agent":`)).toMatch(/408|^$/);
    expect((await api.get('/v1/health/live')).status).toBe(200);
  });

  it('reads no more of a huge body than it takes, whatever was announced', async () => {
    const head = 'POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
    expect(await raw(`${head}Content-Length: 99999999999\r\n\r\n{`)).toContain('413');
    const chunk = `${(1024 * 1024).toString(16)}\r\n${'x'.repeat(1024 * 1024)}\r\n`;
    expect(await raw(`${head}Transfer-Encoding: chunked\r\n\r\n`, ...Array<string>(7).fill(chunk))).toContain(
      '413',
    );
    expect((await api.get('/v1/health/live')).status).toBe(200);
  });

  it('answers no page that names another host or comes from another origin', async () => {
    const ask = (headers: string) =>
      raw(`GET /v1/sessions HTTP/1.1\r\nConnection: close\r\n${headers}\r\n\r\n`);
    expect(await ask('Host: localhost:4670')).toContain('200 OK');
    expect(await ask('Host: evil.example')).toContain('403');
    expect(await ask('Host: localhost:4670\r\nOrigin: https://evil.example')).toContain('403');
    expect(await ask('Host: localhost:4670\r\nOrigin: http://localhost:4670')).toContain('200 OK');
    const { headers } = await api.get('/v1/sessions', { origin: api.url });
    expect(headers.get('access-control-allow-origin')).toBeNull();
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('says what is missing: no worker to answer, a store that is gone', async () => {
    const gone = await startStack({ agents: [agent], isStarted: false });
    const other = await startApi(gone);
    await gone.content.close();
    const health = await other.get('/v1/health');
    expect(health).toMatchObject({
      status: 503,
      body: { status: 'unavailable', dependencies: { store: 'unavailable', temporal: 'ok' } },
    });
    await other.close();
  });
});
