import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { get } from 'node:http';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { createMcpServer } from '../../src/mcp-server/create-mcp-server.ts';
import { serveHttp, type HttpMcpServer } from '../../src/mcp-server/serve-http.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { startStack, type Stack } from '../support/stack.ts';

const refund = defineTool({
  name: 'refund',
  description: 'Refunds',
  input: z.object({ orderId: z.string() }),
  permission: 'ask',
  execute: ({ orderId }) => `refunded ${orderId}`,
});
const tidy: Tool = {
  ...defineTool({
    name: 'tidy',
    description: 'Tidies up',
    input: z.object({}),
    permission: 'allow',
    execute: async (_, { ask }) => {
      const free = { isFree: true, isSecret: false };
      const keep = await ask({ question: 'Backup to keep?', ...free }, { waitMs: 60_000 });
      const drop = await ask({ question: 'Table to drop?', ...free }, { waitMs: 60_000 });
      return JSON.stringify([keep, drop]);
    },
  }),
  waitMs: 60_000,
};
const agent = defineAgent({
  name: 'support',
  description: 'Answers questions about orders',
  model: 'openai/gpt-test',
  instructions: 'Be brief.',
  tools: [refund, tidy],
});

let stack: Stack;
let owner: string;
let open: HttpMcpServer;
let careful: HttpMcpServer;
const clients: Client[] = [];
beforeAll(async () => {
  stack = await startStack({ agents: [agent] });
  ({ owner } = stack.session(agent));
  const access = { durascope: stack.client, owner, agents: [agent] };
  open = await serveHttp(() => createMcpServer({ ...access, mayApprove: true }), { port: 0 });
  careful = await serveHttp(() => createMcpServer({ ...access, mayApprove: false }), {
    port: 0,
    token: 'let-me-in-please',
  });
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await open.close();
  await careful.close();
  await stack.stop();
});

async function connect(transport: Transport): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  clients.push(client);
  return client;
}
const overHttp = (url: string, headers: Record<string, string> = {}) =>
  connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));

async function call(client: Client, name: string, args: object = {}, onprogress?: (said?: string) => void) {
  const options = onprogress
    ? { onprogress: ({ message }: { message?: string | undefined }) => onprogress(message) }
    : {};
  const result = (await client.callTool(
    { name, arguments: { ...args } },
    undefined,
    options,
  )) as CallToolResult;
  const [part] = result.content;
  const text = part?.type === 'text' ? part.text : '';
  return result.isError ? { error: text } : (JSON.parse(text) as Record<string, unknown>);
}

function fail(): never {
  throw new Error('nothing waits');
}

describe('Durascope as an MCP server', () => {
  it('starts a turn, tells how far it is, lets its user approve, and reads what was said', async () => {
    const client = await overHttp(open.url);
    stack.model.calls('refund', { orderId: '7' }).says('Refunded.');
    const started = await call(client, 'start_turn', {
      agent: 'support',
      input: 'Refund order 7',
      session: 'mcp-1',
      waitSeconds: 60,
    });
    expect(started).toMatchObject({ session: 'mcp-1', turn: 1, state: 'waiting' });
    const { gates } = (await call(client, 'list_gates')) as { gates: { callId: string; tool: string }[] };
    expect(gates).toMatchObject([{ tool: 'refund', session: 'mcp-1', state: 'asking' }]);

    const told: (string | undefined)[] = [];
    await call(client, 'answer_gate', { callId: gates[0]?.callId, decision: 'allow' });
    const ended = await call(client, 'wait_for_turn', { session: 'mcp-1' }, (said) => told.push(said));
    expect(ended).toMatchObject({ state: 'ended', text: 'Refunded.', finishReason: 'model_stop' });
    expect(told.join('\n')).toMatch(/step 1: asks/);

    const read = await call(client, 'read_session', { session: 'mcp-1' });
    expect(read).toMatchObject({ agent: 'support', state: 'idle' });
    expect(JSON.stringify(read)).toContain('refunded 7');
    expect(await call(client, 'list_sessions', { agent: 'support' })).toMatchObject({
      sessions: [{ session: 'mcp-1' }],
    });
  });

  it('takes an answer for the question that it names, though it comes twice', async () => {
    const client = await overHttp(open.url);
    stack.model.calls('tidy', {}).says('Tidy.');
    const asks = (questionText: string) => ({
      state: 'waiting',
      pending: [{ tool: 'tidy', question: { question: questionText, id: expect.any(String) as string } }],
    });
    type Waiting = { pending: { callId: string; question: { id: string } }[] };
    const args = { agent: 'support', input: 'Tidy up', session: 'mcp-tidy', waitSeconds: 60 };
    const first = await call(client, 'start_turn', args);
    expect(first).toMatchObject(asks('Backup to keep?'));
    const [{ callId, question } = fail()] = (first as unknown as Waiting).pending;
    const answer = { callId, questionId: question.id, decision: 'allow', answer: 'b1' };
    expect(await call(client, 'answer_gate', answer)).toMatchObject({ callId });
    const second = await call(client, 'wait_for_turn', { session: 'mcp-tidy' });
    expect(second).toMatchObject(asks('Table to drop?'));
    const { questionId: _, ...unnamed } = answer;
    for (const repeat of [answer, unnamed])
      expect(await call(client, 'answer_gate', repeat)).toMatchObject({
        error: expect.stringMatching(/^conflict: /) as string,
      });
    const [{ question: next } = fail()] = (second as unknown as Waiting).pending;
    await call(client, 'answer_gate', { ...answer, questionId: next.id, answer: 't1' });
    expect(await call(client, 'wait_for_turn', { session: 'mcp-tidy' })).toMatchObject({ text: 'Tidy.' });
    expect(stack.model.requests.at(-1)?.results().at(-1)?.text).toMatch(/"b1".*"t1"/);
  });

  it('does not end a turn with the wait for it, and starts none twice for one key', async () => {
    const client = await overHttp(open.url);
    stack.model.hangs({ before: 'headers' });
    const args = { agent: 'support', input: 'Hi', session: 'mcp-2', idempotencyKey: 'k1' };
    expect(await call(client, 'start_turn', args)).toMatchObject({ turn: 1, state: 'running' });
    expect(await call(client, 'start_turn', args)).toMatchObject({ turn: 1, state: 'running' });
    await call(client, 'interrupt_turn', { session: 'mcp-2', reason: 'enough' });
    expect(await call(client, 'wait_for_turn', { session: 'mcp-2', turn: 1 })).toMatchObject({
      state: 'ended',
      finishReason: 'interrupted',
    });
  });

  it('lets nobody approve unless it was told to, and nobody in without the token', async () => {
    const client = await overHttp(careful.url, { authorization: 'Bearer let-me-in-please' });
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toContain('start_turn');
    expect(names).not.toContain('answer_gate');
    await expect(overHttp(careful.url)).rejects.toThrow(/token/);
    await expect(overHttp(careful.url, { authorization: 'Bearer let-me-in-pleasf' })).rejects.toThrow(
      /token/,
    );
  });

  it('tells errors as results that a model reads', async () => {
    const client = await overHttp(open.url);
    expect(await call(client, 'read_session', { session: 'nowhere' })).toMatchObject({
      error: expect.stringMatching(/^not_found: There is no session nowhere/) as string,
    });
    expect(await call(client, 'interrupt_turn', { session: 'nowhere' })).toMatchObject({
      error: expect.stringMatching(/^not_found: There is no session nowhere/) as string,
    });
    expect(await call(client, 'answer_gate', { callId: 'call_x', decision: 'allow' })).toHaveProperty(
      'error',
    );
    expect(await call(client, 'start_turn', { agent: 'stranger', input: 'Hi' })).toHaveProperty('error');
  });

  it('is not reached by a page in a browser, under another name or origin', async () => {
    const post = (headers: Record<string, string>) =>
      fetch(open.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: '{}',
      });
    expect((await post({ origin: 'https://evil.example' })).status).toBe(403);
    expect((await post({})).status).toBe(400);
    expect((await post({ 'mcp-session-id': 'forgotten' })).status).toBe(404);
  });

  it('refuses an address that is none', async () => {
    const { port } = new URL(open.url);
    const status = await new Promise<number | undefined>((resolve, reject) => {
      get({ host: '127.0.0.1', port, path: '//x:99999999/mcp' }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).once('error', reject);
    });
    expect(status).toBe(400);
  });

  it('serves on stdio as well', async () => {
    const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
    const client = await connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [main, 'mcp', '--owner', owner, '--task-queue', stack.taskQueue],
        env: { TEMPORAL_ADDRESS: stack.address, DURASCOPE_STORE: stack.storeUrl },
        stderr: 'inherit',
      }),
    );
    stack.model.says('Hello.');
    expect(
      await call(client, 'start_turn', { agent: 'support', input: 'Hi', session: 'mcp-3', waitSeconds: 60 }),
    ).toMatchObject({ state: 'ended', text: 'Hello.' });
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('answer_gate');
  });
});
