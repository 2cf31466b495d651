import { generateKeyPair, SignJWT, exportJWK, createLocalJWKSet } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { JwtConfig } from '../../src/schema/api-config.ts';
import { newApiKey } from '../../src/server/auth/api-key.ts';
import { routes } from '../../src/server/create-server.ts';
import {
  firstOf,
  jwtOf,
  listedKeys,
  parseListedKeys,
  storedKeys,
  type Scope,
} from '../../src/server/index.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { pay } from '../support/pay-tool.ts';
import { startStack, type Stack } from '../support/stack.ts';

const agent = defineAgent({
  name: 'payer',
  model: 'openai/gpt-test',
  instructions: 'Pay.',
  tools: [pay],
  permissions: { approval: { by: { roles: ['accounting'] } } },
});

const issuer = 'https://login.test/';
const listedSecret = 'l'.repeat(40);
const { publicKey, privateKey } = await generateKeyPair('ES256');
const jwks = createLocalJWKSet({ keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256', kid: 'k' }] });
const jwt = JwtConfig.parse({ issuer, audience: 'durascope', jwksUrl: 'https://login.test/jwks' });

let stack: Stack;
let api: TestApi;
beforeAll(async () => {
  stack = await startStack({ agents: [agent] });
  api = await startApi(stack, {
    agents: [agent],
    schedules: stack.client.schedules,
    authenticate: firstOf(
      storedKeys(stack.content.store.apiKeys),
      jwtOf(jwt, jwks),
      listedKeys(parseListedKeys(`acme=${listedSecret};read;cron`)),
    ),
  });
});
afterAll(async () => {
  await api.close();
  await stack.stop();
});

interface KeyOptions {
  owner?: string;
  name?: string;
  scopes?: Scope[];
  roles?: string[];
  expiresAt?: string;
}

async function makeKey(options: KeyOptions = {}): Promise<{ id: string; key: string }> {
  const {
    owner = 'acme',
    name = 'ann',
    scopes = ['run', 'approve', 'read'],
    roles = [],
    expiresAt,
  } = options;
  const { id, key, hash } = newApiKey();
  await stack.content.store.apiKeys.create({
    id,
    hash,
    owner,
    name,
    scopes,
    roles,
    ...(expiresAt === undefined ? {} : { expiresAt }),
  });
  return { id, key };
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

function token(
  claims: Record<string, unknown>,
  options: { audience?: string; expires?: string } = {},
): Promise<string> {
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', kid: 'k' })
    .setIssuer(issuer)
    .setAudience(options.audience ?? 'durascope')
    .setExpirationTime(options.expires ?? '5m')
    .sign(privateKey);
}

/** A session that waits at a gate, so that there is something to be kept from others. */
async function waitingSession(id: string): Promise<{ turnId: string; callId: string }> {
  const { key } = await makeKey({ name: 'maker' });
  stack.model.calls('pay', {});
  const { body } = await api.post(`/v1/sessions/${id}/turns`, { agent: 'payer', input: 'Pay' }, bearer(key));
  const turn = await api.get(`/v1/turns/${encodeURIComponent(body.turnId)}?wait=60`, bearer(key));
  expect(turn.body.state).toBe('waiting');
  return { turnId: body.turnId as string, callId: turn.body.pending[0].callId as string };
}

describe('every route of the OpenAPI document', () => {
  it('refuses no key, a wrong one, one that is revoked or has expired, another owner, and a missing scope', async () => {
    const { turnId, callId } = await waitingSession('guarded');
    await stack.client.schedules.create({
      owner: 'acme',
      id: 'guarded',
      agent: 'payer',
      input: 'Pay',
      cron: '0 8 * * *',
    });
    const good = await makeKey({ scopes: ['admin'] });
    const revoked = await makeKey({ scopes: ['admin'] });
    await stack.content.store.apiKeys.revoke('acme', revoked.id);
    const expired = await makeKey({ scopes: ['admin'], expiresAt: '2020-01-01T00:00:00.000Z' });
    const foreign = await makeKey({ owner: 'globex', scopes: ['admin'] });
    const wrong = `${good.key.slice(0, -3)}${good.key.endsWith('AAA') ? 'BBB' : 'AAA'}`;
    const { body: document } = await api.get('/openapi.json');
    const result = {
      callId,
      decision: 'allow',
      state: 'success',
      content: 'x',
      outcome: 'happened',
      reason: 'x',
    };
    const bodies: Record<string, object> = {
      createSession: { agent: 'payer' },
      submitTurn: { input: 'x' },
      steerTurn: { input: 'x' },
      interruptTurn: {},
      cancelTask: {},
      startPipeline: { flow: { kind: 'turn', agent: 'payer' }, input: 'Pay' },
      changePermissions: {},
      confirm: { results: [{ callId, decision: 'allow' }] },
      submitExternalResults: { results: [{ callId, state: 'success', content: 'x' }] },
      reconcile: { results: [{ callId, outcome: 'happened', reason: result.reason }] },
      runAgUi: { threadId: 'guarded', runId: 'r1', messages: [] },
    };
    const operations = Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(
      ([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    );
    expect(operations.map(({ operation }) => operation.operationId).toSorted()).toEqual(
      routes.map(({ name }) => name).toSorted(),
    );
    const open: string[] = [];
    for (const { path, method, operation } of operations) {
      const { operationId, security, 'x-scope': scope } = operation;
      if (security?.length === 0) {
        open.push(operationId);
        continue;
      }
      const address = path
        .replace('{sessionId}', 'guarded')
        .replace(/\{(schedule|pipeline|task)Id\}/, 'guarded')
        .replace('{turnId}', encodeURIComponent(turnId))
        .replace('{callId}', callId)
        .replace('{agent}', 'payer')
        .replace('{chatId}', 'guarded');
      const body = bodies[operationId];
      const ask = async (headers: Record<string, string>) => {
        const { status, body: answer } = await api.send(method.toUpperCase(), address, {
          headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
          ...(body ? { body: JSON.stringify(body) } : {}),
        });
        return `${status} ${(answer as { code?: string }).code}`;
      };
      const others = (['run', 'approve', 'read', 'impersonate'] as Scope[]).filter((one) => one !== scope);
      const narrow = await makeKey({ scopes: others });
      expect({
        operationId,
        none: await ask({}),
        wrong: await ask(bearer(wrong)),
        revoked: await ask(bearer(revoked.key)),
        expired: await ask(bearer(expired.key)),
        unknown: await ask(bearer('nonsense')),
        basic: await ask({ authorization: `Basic ${good.key}` }),
        narrow: await ask(bearer(narrow.key)),
        actsForOthers: await ask({ ...bearer(good.key), 'durascope-owner': 'globex' }),
      }).toEqual({
        operationId,
        none: '401 unauthenticated',
        wrong: '401 unauthenticated',
        revoked: '401 unauthenticated',
        expired: '401 unauthenticated',
        unknown: '401 unauthenticated',
        basic: '401 unauthenticated',
        narrow: '403 missing_scope',
        actsForOthers: '404 not_found',
      });
      // A list of another owner is empty, what it names is not there; nothing of this owner's shows.
      const begins = ['submitTurn', 'postChat', 'resumeChat', 'chatMessages', 'runAgUi'];
      if (/\{/.test(path) && !begins.includes(operationId))
        expect({ operationId, foreign: await ask(bearer(foreign.key)) }).toEqual({
          operationId,
          foreign: '404 not_found',
        });
    }
    expect(open.toSorted()).toEqual(['health', 'live']);
    const chat = await api.get('/v1/agents/payer/chat/guarded/messages', bearer(foreign.key));
    expect(chat.body).toEqual({ messages: [] });
    const shown = await api.post('/v1/agents/payer/ag-ui', bodies['runAgUi'], bearer(foreign.key));
    expect(shown.body).toContain('"messages":[]');
    expect(shown.body).not.toContain(callId);
    for (const list of ['/v1/sessions', '/v1/gates', '/v1/usage', '/v1/pipelines'])
      expect((await api.get(list, bearer(foreign.key))).body.items).toEqual([]);
    // It all left the call and the schedule as they were.
    expect(await stack.client.schedules.get('acme', 'guarded')).toMatchObject({
      isPaused: false,
      recentRuns: [],
    });
    await stack.client.schedules.delete('acme', 'guarded');
    expect((await api.get('/v1/sessions/guarded', bearer(good.key))).body).toMatchObject({
      state: 'waiting',
      pending: [{ callId, state: 'asking' }],
    });
  });
});

interface Operation {
  operationId: string;
  security?: object[];
  'x-scope'?: string;
}

describe('who answers', () => {
  it('is the key’s name with its roles, for the approval policy and in the audit; nobody may pose as another', async () => {
    const { callId } = await waitingSession('posed');
    const confirm = (key: string, actor?: object) =>
      api.post(
        '/v1/sessions/posed/confirmations',
        { results: [{ callId, decision: 'allow' }], ...(actor ? { actor } : {}) },
        bearer(key),
      );
    const ann = await makeKey({ name: 'ann' });
    expect(await confirm(ann.key)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    const deny = (key: string) =>
      api.post('/v1/sessions/posed/turns', { input: 'no', ifBusy: 'deny' }, bearer(key));
    expect(await deny(ann.key)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    const runner = await makeKey({ name: 'rob', scopes: ['run', 'read'], roles: ['accounting'] });
    expect(await deny(runner.key)).toMatchObject({ status: 403, body: { code: 'missing_scope' } });
    const posing = await confirm(ann.key, { id: 'bob', roles: ['accounting'] });
    expect(posing).toMatchObject({ status: 403, body: { code: 'missing_scope' } });
    const more = await confirm(ann.key, { id: 'ann', roles: ['accounting'] });
    expect(more).toMatchObject({ status: 403, body: { code: 'missing_scope' } });

    stack.model.says('Paid.');
    const accountant = await makeKey({ name: 'carl', roles: ['accounting'] });
    expect(await confirm(accountant.key)).toMatchObject({ status: 200 });
    const audit = await api.get(`/v1/sessions/posed/audit?callId=${callId}`, bearer(ann.key));
    expect(audit.body.items.at(-1)).toMatchObject({ by: 'person', actor: 'carl' });
  });

  it('may be somebody else where the key may speak for others', async () => {
    const { callId } = await waitingSession('spoken');
    stack.model.says('Paid.');
    const backend = await makeKey({ name: 'backend', scopes: ['approve', 'read', 'impersonate'] });
    const answer = await api.post(
      '/v1/sessions/spoken/confirmations',
      { results: [{ callId, decision: 'allow' }], actor: { id: 'dora', roles: ['accounting'] } },
      bearer(backend.key),
    );
    expect(answer.status).toBe(200);
    const audit = await api.get('/v1/sessions/spoken/audit', bearer(backend.key));
    expect(audit.body.items.at(-1)).toMatchObject({ actor: 'dora' });
  });
});

describe('credentials', () => {
  it('may be a token of the issuer, whose claims say owner, person, scopes and roles', async () => {
    const good = await token({ org: 'acme', sub: 'erin', scope: 'read openid', roles: ['x'] });
    expect((await api.get('/v1/agents', bearer(good))).status).toBe(200);
    expect(await api.post('/v1/sessions', { agent: 'payer' }, bearer(good))).toMatchObject({ status: 403 });
    const claims = { org: 'acme', sub: 'erin', scope: 'read' };
    const other = await generateKeyPair('ES256');
    const refused = {
      audience: await token(claims, { audience: 'another' }),
      expired: await token(claims, { expires: '-5m' }),
      noOwner: await token({ sub: 'erin', scope: 'read' }),
      badOwner: await token({ ...claims, org: 'a/b' }),
      noSubject: await token({ org: 'acme', scope: 'read' }),
      signature: await new SignJWT(claims)
        .setProtectedHeader({ alg: 'ES256', kid: 'k' })
        .setIssuer(issuer)
        .setAudience('durascope')
        .setExpirationTime('5m')
        .sign(other.privateKey),
      unsigned: `${btoa('{"alg":"none"}')}.${btoa(JSON.stringify({ ...claims, iss: issuer, aud: 'durascope' }))}.`,
    };
    for (const [why, bad] of Object.entries(refused))
      expect({ why, status: (await api.get('/v1/agents', bearer(bad))).status }).toEqual({
        why,
        status: 401,
      });
  });

  it('may be a listed key, with its scopes and its name', async () => {
    expect((await api.get('/v1/agents', bearer(listedSecret))).status).toBe(200);
    expect((await api.post('/v1/sessions', { agent: 'payer' }, bearer(listedSecret))).status).toBe(403);
    const secret = 's'.repeat(32);
    expect(
      parseListedKeys(`acme=${secret} globex=${secret};run,admin;ops`).map(({ principal }) => principal),
    ).toEqual([
      { owner: 'acme', id: 'acme', roles: [], scopes: ['run', 'approve', 'read'] },
      { owner: 'globex', id: 'ops', roles: [], scopes: ['run', 'admin'] },
    ]);
    for (const bad of [
      'acme',
      `=${secret}`,
      'acme=short',
      `acme=${secret};rule`,
      `a/b=${secret}`,
      `acme=${secret};run;x;y`,
    ]) {
      expect(() => parseListedKeys(bad)).toThrow(/Entry 1 of DURASCOPE_API_KEYS/);
      expect(() => parseListedKeys(bad)).not.toThrow(new RegExp(secret));
    }
  });

  it('are noted as used, and their secrets are kept nowhere', async () => {
    const { id, key } = await makeKey();
    await api.get('/v1/agents', bearer(key));
    const record = await stack.content.store.apiKeys.get(id);
    expect(record?.lastUsedAt).toBeDefined();
    expect(JSON.stringify(record)).not.toContain(key.split('_')[2]);
  });
});

describe('limits of an owner', () => {
  it('turn away what is too much, with the seconds to wait', async () => {
    const limited = await startApi(stack, {
      authenticate: storedKeys(stack.content.store.apiKeys),
      agents: [agent],
      prices: { 'openai/gpt-test': { input: 1_000_000, output: 1_000_000 } },
      limitsOf: (owner) =>
        ({
          fast: { requestsPerSecond: 0.001, burst: 2 },
          busy: { turnsAtOnce: 1 },
          greedy: { tokensPerDay: 1 },
          dear: { costPerDay: 0.5 },
        })[owner] ?? {},
    });
    const keyOf = async (owner: string) => bearer((await makeKey({ owner })).key);
    const submit = (session: string, headers: Record<string, string>) =>
      limited.post(`/v1/sessions/${session}/turns`, { agent: 'payer', input: 'x' }, headers);
    const wait = (turnId: string, headers: Record<string, string>) =>
      limited.get(`/v1/turns/${encodeURIComponent(turnId)}?wait=60`, headers);

    const fast = await keyOf('fast');
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push(await limited.get('/v1/agents', fast));
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(statuses[2]?.body.code).toBe('too_many_requests');
    expect(Number(statuses[2]?.headers.get('retry-after'))).toBeGreaterThan(900);

    stack.model.hangs({ before: 'firstToken' });
    const busy = await keyOf('busy');
    const keyed = { ...busy, 'idempotency-key': 'first' };
    const next = stack.model.requests.length;
    const first = await submit('one', keyed);
    expect(first.status).toBe(202);
    await stack.model.waitForRequest(next);
    await runs('busy', 'one');
    expect(await submit('two', busy)).toMatchObject({ status: 429, body: { code: 'too_many_turns' } });
    expect((await submit('one', keyed)).body).toMatchObject({
      turnId: first.body.turnId,
      status: 'repeated',
    });
    await limited.post('/v1/sessions/one/interrupt', {}, busy);
    await wait(first.body.turnId as string, busy);

    for (const owner of ['greedy', 'dear']) {
      const headers = await keyOf(owner);
      stack.model.says('Spent.');
      const { body } = await submit('one', headers);
      expect((await wait(body.turnId as string, headers)).body.state).toBe('ended');
      const refused = await submit('one', headers);
      expect(refused).toMatchObject({ status: 429, body: { code: 'budget_exhausted' } });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      const [day] = (await limited.get('/v1/usage', headers)).body.items;
      expect(day).toMatchObject({ agent: 'payer', turns: 1 });
      expect(day.cost).toBe(day.usage.inputTokens + day.usage.outputTokens);
    }
    await limited.close();
  });
});

/** The store says so once the turn has begun. */
async function runs(owner: string, id: string): Promise<void> {
  for await (const event of stack.client.session({ owner, id }).events())
    if (event.kind === 'run_start') return;
}
