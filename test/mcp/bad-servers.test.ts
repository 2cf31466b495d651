import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { defineMcpServer } from '../../src/mcp/define-mcp-server.ts';
import { McpPool, mcpPool } from '../../src/mcp/pool.ts';
import type { McpServerOptions } from '../../src/mcp/server.ts';
import { OutcomeUnknownError } from '../../src/tools/outcome-unknown.ts';
import { createModelRegistry } from '../../src/model/registry.ts';
import { memorySlots } from '../../src/tools/memory-slots.ts';
import { Latch } from '../support/latch.ts';
import { memoryVault, testScope } from '../support/worker-scope.ts';
import { isAlive } from './support/is-alive.ts';
import { poolOf } from '../../src/mcp/load-tools.ts';
import { badServer, benchOf, textOf } from './support/load.ts';

let folder: string;
let log: string;
let logs = 0;
let worker: ReturnType<typeof testScope>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durascope-mcp-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(() => {
  logs += 1;
  log = join(folder, `log-${logs}`);
  worker = testScope();
});
afterEach(() => worker.close());

const bad = (more: Partial<McpServerOptions> = {}) =>
  benchOf(worker, { name: 'bad', ...badServer(log), ...more });
const logged = () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []);
const times = (line: string) => logged().filter((entry) => entry === line).length;
const pids = () =>
  logged().flatMap((entry) => (entry.startsWith('start ') ? [Number(entry.slice('start '.length))] : []));
describe('a server that is killed in the middle of a call', () => {
  it('leaves the outcome unknown, and is started anew for the next call', async () => {
    const bench = bad();
    await expect(bench.call('die')).rejects.toThrow(OutcomeUnknownError);
    await expect(bench.call('die')).rejects.toThrow(
      /may or may not have happened: its process ended by SIGKILL/,
    );
    expect(await bench.text('count')).toMatch(/^call 1 of process/);
    expect(new Set(pids()).size).toBe(3);
  });

  it('has the call repeated once where it only reads, and the server is trusted', async () => {
    const bench = bad({ trust: true });
    const outcome = await bench.call('die_reading');
    expect(outcome.state).toBe('error');
    expect(textOf(outcome)).toContain('broke twice');
    expect(times('call die_reading')).toBe(2);
  });

  it('has no call repeated because an untrusted server says that it only reads', async () => {
    await expect(bad().call('die_reading')).rejects.toThrow(OutcomeUnknownError);
    expect(times('call die_reading')).toBe(1);
  });
});

describe('a server that hangs', () => {
  it('is given up on after the time limit of a call, which it is told', async () => {
    const outcome = await bad({ timeout: 300 }).call('hang');
    expect(outcome).toMatchObject({ state: 'error' });
    expect(textOf(outcome)).toMatch(/did not finish within its limit of 0.3 s.*may have taken effect/);
    await expect.poll(() => times('cancelled')).toBe(1);
  });

  it('is told of an interrupt', async () => {
    const stop = new AbortController();
    const bench = bad();
    await bench.load();
    const call = bench.call(
      'slow',
      {},
      { signal: stop.signal },
      { onProgress: () => stop.abort(new Error('stop')) },
    );
    await expect(call).rejects.toThrow('stop');
    await expect.poll(() => times('cancelled')).toBe(1);
  });

  it('costs its tools, not more, when it does not even start', async () => {
    const silent = benchOf(worker, {
      name: 'silent',
      command: process.execPath,
      args: ['-e', 'setInterval(() => {}, 1000)'],
      connectTimeout: 300,
    });
    expect(await silent.load()).toEqual({
      tools: [],
      isSilent: true,
      notice: 'The tools of the MCP server silent are not available now: it did not answer within 0.3 s',
    });
  });

  it('says what a program that ends at once wrote last, and what is not there at all', async () => {
    const ending = benchOf(worker, {
      name: 'ending',
      command: process.execPath,
      args: ['-e', 'console.error("no licence"); process.exit(3)'],
    });
    expect((await ending.load()).notice).toMatch(
      /ended with code 3 before it was ready; it said: no licence/,
    );
    const crashing = benchOf(worker, {
      name: 'crashing',
      command: process.execPath,
      args: ['-e', "console.error('x'.repeat(9000) + '\\nready soon'); throw new TypeError('no port')"],
    });
    const { notice } = await crashing.load();
    expect(notice).toContain('\nTypeError: no port\n');
    expect(notice).not.toContain('xxx');
    const absent = benchOf(worker, { name: 'absent', url: 'http://127.0.0.1:59999/mcp' });
    expect((await absent.load()).notice).toMatch(/can't be reached.*ECONNREFUSED/);
    // Its input breaks before its end is known, now and then.
    const names = ['nothing1', 'nothing2', 'nothing3', 'nothing4'];
    const nothing = names.map((name) => benchOf(worker, { name, command: '/no/such/program' }));
    for (const { notice: why } of await Promise.all(nothing.map((one) => one.load())))
      expect(why).toMatch(/not available now.*(No such file|ENOENT)/);
  });
});

describe('a server that answers wrongly', () => {
  it('may write garbage between its messages', async () => {
    expect(await bad().text('garbage')).toBe('after the garbage');
  });

  it('has a huge result cut off, and is not asked for it again', async () => {
    const bench = bad();
    const outcome = await bench.call('huge');
    expect(outcome.state).toBe('error');
    expect(textOf(outcome)).toMatch(/ran, and may have taken effect.*larger than is taken/);
    expect(times('call huge')).toBe(1);
    const large = await bench.text('huge', { bytes: 6_000_000 });
    expect(large).toMatch(/\[Cut: \d+ bytes of this result are left out/);
  });

  it('waits for its answer until the time limit when it answers under another number', async () => {
    const outcome = await bad({ timeout: 300 }).call('wrong_id');
    expect(textOf(outcome)).toMatch(/did not finish within its limit/);
  });

  it('is told apart from one whose structured answer fits its schema', async () => {
    const outcome = await bad().call('promises');
    expect(outcome.state).toBe('error');
    expect(textOf(outcome)).toMatch(/breaks its own output schema: n must be number.*don't repeat/s);
  });

  it('does not stop the worker with a regular expression that never ends', async () => {
    expect(await bad().text('backtracks')).toContain('done');
  });

  it('loses its malformed tools only, and the model is told', async () => {
    const { tools, notice } = await bad().load();
    expect(tools.length).toBe(13);
    expect(notice).toMatch(/its tool "broken" is malformed/);
    expect(notice).toMatch(/its tool "enormous" is left out: its schema is larger than 256 KB/);
    expect(tools.find(({ name }) => /no_tool/.test(name))?.name).toMatch(/^mcp__bad__no_tool_[0-9a-f]{8}$/);
  });
});

describe('the list of tools', () => {
  it('is asked for once, page by page, whatever the number of steps', async () => {
    const bench = bad();
    const first = await bench.load();
    for (let step = 0; step < 5; step += 1) expect((await bench.load()).tools).toBe(first.tools);
    expect(times('list')).toBe(2);
  });

  it('is not asked for again when the same version is connected to anew', async () => {
    const bench = bad();
    await bench.call('die').catch(() => undefined);
    await bench.text('count');
    expect(times('list')).toBe(2);
  });

  it('is read anew when the server says that it changed', async () => {
    const bench = bad();
    expect(await bench.names()).not.toContain('mcp__bad__new');
    await bench.text('change');
    await expect.poll(() => bench.names()).toContain('mcp__bad__new');
    expect(await bench.text('new')).toBe('new');
  });
});

describe('connections', () => {
  it('are shared by owners with the same credentials, and not by those with others', async () => {
    const own = defineMcpServer({
      name: 'bad',
      ...badServer(log),
      env: (owner) => ({ API_KEY: owner === 'eve' ? 'other' : 'same' }),
    });
    await benchOf(worker, own, { owner: 'ann' }).load();
    await benchOf(worker, own, { owner: 'bob' }).load();
    expect(pids().length).toBe(1);
    await benchOf(worker, own, { owner: 'eve' }).load();
    expect(pids().length).toBe(2);
  });

  it('end with the worker, whatever the server does about it', async () => {
    await bad({ env: { STUBBORN: '1' } }).load();
    const [pid = 0] = pids();
    expect(isAlive(pid)).toBe(true);
    await worker.close();
    expect(isAlive(pid)).toBe(false);
    expect(times('SIGTERM')).toBe(1);
  });

  it('are closed when they rest, and made again when they are wanted', async () => {
    const bench = bad({ idleTimeout: 50 });
    expect(await bench.text('count')).toMatch(/^call 1/);
    const [pid = 0] = pids();
    await expect.poll(() => isAlive(pid)).toBe(false);
    expect(await bench.text('count')).toMatch(/^call 1/);
    expect(pids().length).toBe(2);
  });

  it('are never more than the limit: those that rest make room', async () => {
    await worker.close();
    worker = testScope();
    const pool = worker.resource(
      mcpPool,
      () => new McpPool({ vault: memoryVault(), models: createModelRegistry(), maxConnections: 1 }),
    );
    await benchOf(worker, { name: 'one', ...badServer(log) }).load();
    await benchOf(worker, { name: 'two', ...badServer(log) }).load();
    expect(pool.size).toBe(1);
    const holding = benchOf(worker, { name: 'two', ...badServer(log) });
    const stop = new AbortController();
    const began = new Latch();
    const held = holding.call('slow', {}, { signal: stop.signal }, { onProgress: () => began.open() });
    held.catch(() => undefined);
    await began.promise;
    const { notice } = await benchOf(worker, { name: 'three', ...badServer(log) }).load();
    expect(notice).toMatch(/all 1 connections to MCP servers are in use/);
    stop.abort(new Error('stop'));
    await expect(held).rejects.toThrow('stop');
  });
});

describe('a stateful server', () => {
  it('has a process for each session, and says when its state was lost, on another worker too', async () => {
    const stateful: McpServerOptions = { name: 'bad', ...badServer(log), stateful: true };
    const slots = memorySlots();
    const first = benchOf(worker, stateful, { sessionId: 's1', slots });
    expect(await first.text('count')).toMatch(/^call 1/);
    expect(await first.text('count')).toMatch(/^call 2/);
    expect(await benchOf(worker, stateful, { sessionId: 's2' }).text('count')).toMatch(/^call 1/);
    const other = testScope();
    const resumed = benchOf(other, stateful, { sessionId: 's1', slots });
    expect(await resumed.text('count')).toMatch(/^\[Note: bad was started anew.*lost.*\]\ncall 1/);
    expect(await resumed.text('count')).toMatch(/^call 2/);
    const pool = poolOf(other);
    await pool.forget({ owner: 'acme', sessionId: 's2' });
    expect(pool.size).toBe(1);
    await pool.forget({ owner: 'acme', sessionId: 's1' });
    expect(pool.size).toBe(0);
    await other.close();
  });
});

describe('credentials', () => {
  it('do not come back in a result, though the server shows its whole environment', async () => {
    const shown = await bad({
      env: (owner) => ({ SOME_SETTING: `s3cret-of-${owner}`, OTHER: 'also-hidden' }),
    }).text('show_env');
    expect(shown).toContain('SOME_SETTING');
    expect(shown).not.toMatch(/s3cret|also-hidden/);
    expect(shown).not.toContain('OPENAI_API_KEY');
  });

  it('that can’t be found cost the tools, and the owner’s problem is said', async () => {
    const { tools, notice } = await bad({
      env: (owner) => {
        throw new Error(`no key for ${owner}`);
      },
    }).load();
    expect(tools).toEqual([]);
    expect(notice).toMatch(/credentials of bad can't be found: no key for acme/);
  });
});

describe('a server over HTTP', () => {
  let server: Server;
  let onCall: (response: ServerResponse, id: number) => void;
  let url: string;
  let calls = 0;
  beforeEach(async () => {
    calls = 0;
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        if (request.method !== 'POST') return response.writeHead(405).end();
        const { id, method } = JSON.parse(body) as { id?: number; method: string };
        if (id === undefined) return response.writeHead(202).end();
        if (method === 'tools/call') {
          calls += 1;
          return onCall(response, id);
        }
        const tools = [{ name: 'act', inputSchema: { type: 'object' } }];
        const result =
          method === 'initialize'
            ? {
                protocolVersion: '2025-06-18',
                capabilities: { tools: {} },
                serverInfo: { name: 'http', version: '1' },
              }
            : { tools };
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const http = (more: Partial<McpServerOptions> = {}) => benchOf(worker, { name: 'http', url, ...more });

  it('that breaks its answer off leaves the outcome unknown', async () => {
    onCall = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': here it comes\n\n');
      setImmediate(() => response.destroy());
    };
    await expect(http().call('act')).rejects.toThrow(OutcomeUnknownError);
    expect(calls).toBe(1);
  });

  it('that ends its answer without a message leaves the outcome unknown', async () => {
    onCall = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end();
    };
    await expect(http().call('act')).rejects.toThrow(/ended before the answer was complete/);
  });

  it('whose proxy answers with 502 leaves the outcome unknown; one that refuses with 400 does not', async () => {
    onCall = (response) => response.writeHead(502).end('bad gateway');
    await expect(http().call('act')).rejects.toThrow(OutcomeUnknownError);
    onCall = (response) => response.writeHead(400).end('no');
    expect(await http().text('act')).toMatch(/act failed: .*no/s);
  });

  it('that has forgotten the session is connected to anew, because nothing was done', async () => {
    onCall = (response, id) => {
      if (calls === 1) return response.writeHead(404).end('no session');
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'done' }] } }),
      );
    };
    expect(await http().text('act')).toBe('done');
    expect(calls).toBe(2);
  });

  it('that answers with something else is not taken for a result', async () => {
    onCall = (response, id) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { content: 'text' } }));
    };
    expect(await http().text('act')).toMatch(
      /ran, and may have taken effect, but it answered with something/,
    );
  });

  it('whose address has a key in its query does not show it, however the key comes back', async () => {
    const key = 'k3y/s3cret+value';
    url += `?api_key=${encodeURIComponent(key)}`;
    onCall = (response, id) => {
      const said = [url, key, Buffer.from(`key=${key}`).toString('base64'), JSON.stringify({ key })].join(
        ' ',
      );
      if (calls === 1) return response.writeHead(400).end(said);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: said }] } }),
      );
    };
    for (const text of [await http().text('act'), await http().text('act')]) {
      expect(text).toContain('api_key=[secret]');
      expect(text).not.toMatch(/s3cret|czNjcmV0|M2NyZX/);
    }
  });

  it('that refuses our credentials says so without showing them', async () => {
    onCall = (response) => response.writeHead(401).end('Bearer t0p-s3cret-token is bad');
    const shown = await http({ headers: { authorization: 'Bearer t0p-s3cret-token' } }).text('act');
    expect(shown).toMatch(/does not let us in/);
    expect(shown).not.toContain('t0p-s3cret-token');
  });
});
