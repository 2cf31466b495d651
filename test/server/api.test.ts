import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { DurascopeClient } from '../../src/client/index.ts';
import { createServer, openAccess } from '../../src/server/index.ts';
import { says } from '../../src/testing/index.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { codeBlocks } from '../docs/code-blocks.ts';
import { apiOwner, startApi, type TestApi } from '../support/api.ts';
import { startStack, type Stack } from '../support/stack.ts';

const guide = fileURLToPath(new URL('../../docs/guides/http-api.md', import.meta.url));
const hasCurl = spawnSync('curl', ['--version']).status === 0;

const pay = defineTool({
  name: 'pay',
  description: 'Pays an amount',
  input: z.object({ amount: z.number().positive() }),
  permission: 'ask',
  execute: ({ amount }) => `paid ${amount}`,
});
const agent = defineAgent({
  name: 'payer',
  model: 'openai/gpt-test',
  instructions: 'Be brief.',
  tools: [pay],
});

let stack: Stack;
let api: TestApi;
beforeAll(async () => {
  stack = await startStack({ agents: [agent] });
  api = await startApi(stack, { agents: [agent] });
});
afterAll(async () => {
  await api.close();
  await stack.stop();
});

async function submit(sessionId: string, input: string, headers: Record<string, string> = {}) {
  return api.post(`/v1/sessions/${sessionId}/turns`, { input, agent: 'payer' }, headers);
}

const turnPath = (turnId: string) => `/v1/turns/${encodeURIComponent(turnId)}`;

describe('the API', () => {
  it('starts a pipeline once for a key, tells what it came to, lists and cancels it', async () => {
    stack.model.says('Whales sing.').calls('pay', { amount: 1 });
    const start = (input: string, key: string) =>
      api.post(
        '/v1/pipelines',
        { flow: { kind: 'turn', agent: 'payer' }, input },
        { 'idempotency-key': key },
      );
    const { status, body } = await start('Whales', 'p1');
    expect(status).toBe(201);
    expect((await start('Whales', 'p1')).body).toEqual(body);
    expect(await start('Cats', 'p1')).toMatchObject({ status: 409, body: { code: 'conflict' } });
    const one = stack.client.pipelines.get(apiOwner, body.id as string);
    await one.result();
    expect((await api.get(`/v1/pipelines/${one.id}`)).body).toEqual({
      id: one.id,
      state: 'done',
      text: 'Whales sing.',
      turns: 1,
      failures: [],
    });

    const waiting = (await start('Pay', 'p2')).body.id as string;
    while ((await stack.client.gates(apiOwner)).items.length === 0)
      await new Promise((next) => setTimeout(next, 20));
    expect((await api.get(`/v1/pipelines/${waiting}`)).body).toMatchObject({ state: 'running', running: 1 });
    const cancel = (init?: RequestInit) => api.send('POST', `/v1/pipelines/${waiting}/cancel`, init);
    expect(await cancel({ body: 'xx' })).toMatchObject({ status: 415, body: { code: 'not_json' } });
    const json = { 'content-type': 'application/json' };
    expect(await cancel({ body: '{"why":"x"}', headers: json })).toMatchObject({ status: 400 });
    expect((await cancel({ body: '{}', headers: json })).status).toBe(204);
    await stack.client.pipelines.get(apiOwner, waiting).result();
    expect((await cancel()).status).toBe(204);
    expect((await api.get(`/v1/pipelines/${waiting}`)).body).toEqual({
      id: waiting,
      state: 'cancelled',
      error: 'it was cancelled',
      text: '',
      failures: [],
    });
    const members = ['payer', 'nobody'].map((name) => ({ name, agent: name }));
    const flow = { kind: 'pipeline', steps: [{ kind: 'hub', members, rounds: 1 }] };
    expect(await api.post('/v1/pipelines', { flow, input: 'x' })).toMatchObject({
      status: 404,
      body: { detail: expect.stringContaining('no agent nobody') as string },
    });
    // What is listed comes a moment later.
    const states = async () => {
      const { items } = (await api.get('/v1/pipelines')).body as { items: { id: string; state: string }[] };
      return Object.fromEntries(items.map(({ id, state }) => [id, state]));
    };
    await expect.poll(states, { timeout: 30_000 }).toEqual({ [one.id]: 'done', [waiting]: 'cancelled' });
  });

  it('runs a turn: begins the session, submits, waits, reads the reply and the transcript', async () => {
    stack.model.answers(({ lastUserText }) => says(`re: ${lastUserText}`));
    const created = await api.post('/v1/sessions', {
      agent: 'payer',
      sessionId: 'plain',
      metadata: { ticket: '7' },
    });
    expect(created).toMatchObject({ status: 201, body: { sessionId: 'plain', agent: 'payer' } });
    const submitted = await submit('plain', 'Hello', { 'idempotency-key': 'k1' });
    expect(submitted).toMatchObject({
      status: 202,
      body: { sessionId: 'plain', status: 'started', after: 0 },
    });
    const { turnId } = submitted.body;
    const turn = await api.get(`${turnPath(turnId)}?wait=30`);
    expect(turn.body).toMatchObject({
      turnId,
      state: 'ended',
      finishReason: 'model_stop',
      reply: { text: 're: Hello' },
      pending: [],
    });
    const again = await submit('plain', 'Hello', { 'idempotency-key': 'k1' });
    expect(again.body).toMatchObject({ turnId, status: 'repeated' });
    // As it is, not escaped.
    expect((await api.get(`/v1/${turnId.replace('turn/', 'turns/turn/')}`)).body.state).toBe('ended');

    const session = await api.get('/v1/sessions/plain');
    expect(session.body).toMatchObject({
      state: 'idle',
      turn: 1,
      turnId,
      metadata: { ticket: '7' },
      tasks: [],
      background: [],
      team: null,
    });
    const messages = await api.get('/v1/sessions/plain/messages?limit=1');
    expect(messages.body.items).toMatchObject([{ role: 'user' }]);
    const rest = await api.get(`/v1/sessions/plain/messages?cursor=${messages.body.nextCursor}`);
    expect(rest.body.items).toMatchObject([{ role: 'assistant' }]);
    expect((await api.get('/v1/sessions/plain/turns')).body.items).toMatchObject([
      { turn: 1, state: 'ended' },
    ]);
    const listed = await api.get('/v1/sessions?agent=payer&state=idle');
    expect(listed.body.items.map(({ sessionId }: { sessionId: string }) => sessionId)).toContain('plain');
  });

  it.skipIf(!hasCurl)('is used from a shell as the guide says', async () => {
    const [block] = await codeBlocks(guide, 'sh');
    stack.model.calls('pay', { amount: 5 }).says('Refunded.');
    const local = await startApi(stack, { agents: [agent], owner: 'local' });
    const script = block?.code.replace('http://127.0.0.1:4670', local.url).replace('support', 'payer') ?? '';
    const { stdout } = await promisify(execFile)('bash', ['-euc', script]);
    await local.close();
    expect(stdout).toMatch(
      /"status":"started".*"state":"waiting".*"accepted":\["call.*Refunded\..*event: turn_end/s,
    );
  });

  it('shows what waits, takes one answer, and refuses a second one and an unknown call', async () => {
    stack.model.calls('pay', { amount: 5 }).says('Paid.').says('Later.');
    const { body } = await submit('gated', 'Pay 5');
    const waiting = await api.get(`${turnPath(body.turnId)}?wait=30`);
    expect(waiting.body).toMatchObject({ state: 'waiting', finishReason: 'permission_asking' });
    const [{ callId }] = waiting.body.pending;
    expect((await api.get('/v1/gates?state=asking')).body.items).toMatchObject([
      { callId, sessionId: 'gated', agent: 'payer', name: 'pay', arguments: '{"amount":5}' },
    ]);
    expect((await api.get('/v1/gates?state=uncertain')).body.items).toEqual([]);
    expect((await api.get(`/v1/calls/${callId}`)).body).toEqual({ callId, sessionId: 'gated' });
    const queued = { input: 'Then?', ifBusy: 'queue' };
    const later = await api.post('/v1/sessions/gated/turns', queued, { 'idempotency-key': 'then' });
    expect(later.body).toMatchObject({ status: 'queued' });
    expect((await submit('gated', 'Then?', { 'idempotency-key': 'then' })).body).toMatchObject({
      turnId: later.body.turnId,
      status: 'repeated',
    });
    expect(await submit('gated', 'And?', { 'idempotency-key': 'and' })).toMatchObject({ status: 409 });
    expect(await submit('gated', 'And?')).toMatchObject({ status: 409, body: { code: 'waiting' } });
    expect(await api.send('DELETE', '/v1/sessions/gated')).toMatchObject({ status: 409 });

    const confirm = (results: object[]) => api.post('/v1/sessions/gated/confirmations', { results });
    expect(await confirm([{ callId: 'call_none', decision: 'allow' }])).toMatchObject({ status: 404 });
    expect(await confirm([{ callId, decision: 'allow', input: { amount: -5 } }])).toMatchObject({
      status: 422,
      body: {
        type: 'urn:durascope:problem:unfit_answer',
        detail: expect.stringContaining('amount') as string,
      },
    });
    expect(await confirm([{ callId, decision: 'allow' }])).toMatchObject({
      status: 200,
      body: { accepted: [callId] },
    });
    const ended = await api.get(`${turnPath(body.turnId)}?wait=30&until=end`);
    expect(ended.body).toMatchObject({ state: 'ended', reply: { text: 'Paid.' } });
    expect(await confirm([{ callId, decision: 'deny' }])).toMatchObject({ status: 409 });
    const audit = await api.get(`/v1/sessions/gated/audit?callId=${callId}`);
    expect(audit.body.items).toMatchObject([
      { behavior: 'ask' },
      { behavior: 'allow', by: 'person', actor: apiOwner },
    ]);
  });

  it('tells what waits as it is now, and with each change: to whoever watches, over HTTP too', async () => {
    stack.model.calls('pay', { amount: 6 }).says('No.');
    const watching = new AbortController();
    const client = await DurascopeClient.connect({ baseUrl: api.url });
    const seen: string[][] = [];
    for await (const { items } of client.watchGates(apiOwner, { signal: watching.signal })) {
      const told = items.filter(({ sessionId }) => sessionId === 'watched');
      seen.push(told.map(({ state }) => state));
      if (seen.length === 1) await submit('watched', 'Pay 6');
      const [call] = told;
      if (!call && seen.length > 1) watching.abort();
      if (!call) continue;
      await client
        .session({ owner: apiOwner, id: 'watched' })
        .confirm([{ callId: call.callId, decision: 'deny' }]);
    }
    expect(seen).toEqual([[], ['asking'], []]);
  });

  it('erases a session: what it held is gone, and a new one of that id begins empty', async () => {
    stack.model.calls('pay', { amount: 1 }).answers(() => says('Hi.'));
    const { body } = await submit('gone', 'Pay 1');
    await api.get(`${turnPath(body.turnId)}?wait=30`);
    expect((await api.send('DELETE', '/v1/sessions/gone?force=true')).status).toBe(204);
    expect((await api.get('/v1/sessions/gone')).status).toBe(404);
    expect((await api.get(turnPath(body.turnId))).status).toBe(404);
    expect((await api.get('/v1/gates')).body.items).toEqual([]);
    const again = await submit('gone', 'Hello');
    expect((await api.get(`${turnPath(again.body.turnId)}?wait=30`)).body).toMatchObject({
      turn: 1,
      state: 'ended',
    });
    expect((await api.get('/v1/sessions/gone/messages')).body.items).toHaveLength(2);
  });

  it('says what it cannot do, in problem+json with a stable type and the request’s id', async () => {
    const answer = await api.post(
      '/v1/sessions',
      { agent: 'payer', sesionId: 'x' },
      { 'x-request-id': 'req-1' },
    );
    expect(answer).toMatchObject({
      status: 400,
      body: {
        type: 'urn:durascope:problem:invalid_input',
        code: 'invalid_input',
        requestId: 'req-1',
        errors: [{ path: 'body', message: expect.stringContaining('sesionId') as string }],
      },
    });
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    const text = await api.send('POST', '/v1/sessions', { body: '{"agent":"payer"}' });
    expect(text).toMatchObject({ status: 415, body: { code: 'not_json' } });
    const broken = { body: '{"agent"', headers: { 'content-type': 'application/json' } };
    expect(await api.send('POST', '/v1/sessions', broken)).toMatchObject({
      status: 400,
      body: { code: 'malformed_json' },
    });
    expect(await api.get('/v1/nothing')).toMatchObject({ status: 404, body: { code: 'no_route' } });
    const put = await api.send('PUT', '/v1/sessions');
    expect(put).toMatchObject({ status: 405 });
    expect(put.headers.get('allow')).toBe('POST, GET');
    expect(await api.get('/v1/sessions?cursor=nonsense')).toMatchObject({
      status: 400,
      body: { code: 'invalid_page' },
    });
    expect(await api.get('/v1/gates/events?state=bogus')).toMatchObject({ status: 400 });
    expect(await api.get('/v1/sessions/none')).toMatchObject({ status: 404 });
    expect(await api.get('/v1/turns/turn%2Fother%2Fplain%2F1')).toMatchObject({ status: 404 });
    expect(await submit('new', 'Hi', { 'durascope-owner': 'other' })).toMatchObject({ status: 404 });
    const huge = await submit('new', 'x'.repeat(6 * 1024 * 1024));
    expect(huge).toMatchObject({ status: 413, body: { code: 'too_large' } });
  });

  it('has the admin page at / for whoever asks, and elsewhere for browsers', async () => {
    const adminPage = await mkdtemp(join(tmpdir(), 'page-'));
    await writeFile(join(adminPage, 'index.html'), 'The page');
    const server = createServer({ client: stack.client, authenticate: openAccess(apiOwner), adminPage });
    const get = (path: string, accept: string) =>
      server.fetch(new Request(`http://localhost${path}`, { headers: { accept } }));
    expect(await (await get('/', '*/*')).text()).toBe('The page');
    expect(await (await get('/gates', 'text/html')).text()).toBe('The page');
    expect((await get('/gates', '*/*')).status).toBe(404);
    await rm(adminPage, { recursive: true });
  });

  it('names the agents, its health, and all of its operations', async () => {
    expect((await api.get('/v1/agents')).body.items).toMatchObject([
      { name: 'payer', tools: [{ name: 'pay' }] },
    ]);
    expect((await api.get('/v1/health')).body).toEqual({
      status: 'ok',
      dependencies: { store: 'ok', temporal: 'ok' },
    });
    expect((await api.get('/v1/health/live')).body).toEqual({ status: 'ok' });
    const { body: document } = await api.get('/openapi.json');
    expect(document.openapi).toBe('3.1.0');
    expect(document.paths['/v1/sessions/{sessionId}/turns'].post.operationId).toBe('submitTurn');
    const parameters = document.paths['/v1/sessions'].get.parameters as { name: string; required: boolean }[];
    expect(parameters.filter(({ required }) => required)).toEqual([]);
    // A reference to nothing would break every generator.
    const text = JSON.stringify(document);
    const references = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(
      ([, name = '']) => name,
    );
    expect(references.length).toBeGreaterThan(20);
    expect(references.filter((name) => !(name in document.components.schemas))).toEqual([]);
  });
});
