import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { createLog } from '../../src/cli/api-log.ts';
import { installPrometheus } from '../../src/metrics/prometheus.ts';
import { newApiKey } from '../../src/server/auth/api-key.ts';
import { storedKeys } from '../../src/server/index.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { openSse } from '../support/sse.ts';
import { startStack, type Stack } from '../support/stack.ts';

const pay = defineTool({
  name: 'pay',
  description: 'Pays',
  input: z.object({ iban: z.string() }),
  permission: 'ask',
  execute: () => 'paid',
});
const agent = defineAgent({ name: 'payer', model: 'openai/gpt-test', instructions: 'Pay.', tools: [pay] });

let stack: Stack;
let api: TestApi;
let key: string;
const lines: string[] = [];
beforeAll(async () => {
  // Before the worker and the server: what is measured before there is a provider is lost.
  const renderMetrics = installPrometheus();
  stack = await startStack({ agents: [agent] });
  const made = newApiKey();
  key = made.key;
  const { id, hash } = made;
  await stack.content.store.apiKeys.create({
    id,
    hash,
    owner: 'acme',
    name: 'ann',
    scopes: ['admin'],
    roles: [],
  });
  const sink = new Writable({
    write(chunk: Buffer, _, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  api = await startApi(stack, {
    agents: [agent],
    authenticate: storedKeys(stack.content.store.apiKeys),
    renderMetrics,
    log: createLog('info', sink),
  });
});
afterAll(async () => {
  await api.close();
  await stack.stop();
});

describe('a turn over HTTP', () => {
  it('shows in the metrics, and in the log by its ids, with nothing of what was said', async () => {
    const headers = { authorization: `Bearer ${key}`, 'x-request-id': 'req-42' };
    stack.model.calls('pay', { iban: 'DE-secret-iban' }).says('Not paid.');
    const { body } = await api.post(
      '/v1/sessions/measured/turns',
      { agent: 'payer', input: 'my password is hunter2' },
      { ...headers, 'idempotency-key': 'ticket-secret' },
    );
    const turnId = body.turnId as string;
    const waiting = await api.get(`/v1/turns/${encodeURIComponent(turnId)}?wait=60`, headers);
    const stream = await openSse(`${api.url}/v1/sessions/measured/events`, headers);
    await api.get('/v1/sessions/none?x=secret-query', headers);
    await api.post('/v1/sessions/measured/confirmations', { results: 'secret-body' }, headers);

    const { body: text, headers: answered } = await api.get('/metrics', headers);
    expect(answered.get('content-type')).toContain('text/plain');
    for (const line of [
      /^durascope_steps_total\{agent="payer"\} 1$/m,
      /^durascope_gates_opened_total\{agent="payer"\} 1$/m,
      /^durascope_gates_waiting\{state="asking"\} 1$/m,
      /^durascope_tasks_queued\{kind="workflows"\} \d+$/m,
      /^durascope_event_streams 1$/m,
      /^durascope_http_problems_total\{operation="confirm",code="invalid_input"\} 1$/m,
      /^durascope_http_request_duration(_seconds)?_count\{operation="submitTurn",status="202"\} 1$/m,
      /^durascope_activity_duration(_seconds)?_count\{activity="callModel"\} 1$/m,
    ])
      expect(text).toMatch(line);
    stream.close();
    const { callId } = waiting.body.pending[0] as { callId: string };
    await api.post(
      '/v1/sessions/measured/confirmations',
      { results: [{ callId, decision: 'deny' }] },
      headers,
    );

    const logged = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(logged).toContainEqual(
      expect.objectContaining({
        requestId: 'req-42',
        operation: 'submitTurn',
        status: 202,
        owner: 'acme',
        actor: 'ann',
        sessionId: 'measured',
        turnId,
      }),
    );
    expect(logged).toContainEqual(
      expect.objectContaining({ operation: 'confirm', sessionId: 'measured', callIds: [callId] }),
    );
    expect(logged).toContainEqual(expect.objectContaining({ operation: 'getTurn', turnId }));
    expect(logged).toContainEqual(
      expect.objectContaining({ operation: 'confirm', status: 400, code: 'invalid_input' }),
    );
    expect(lines.join('')).not.toMatch(/hunter2|secret|dsk_/);
  });
});
