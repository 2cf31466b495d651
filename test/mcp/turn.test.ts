import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Agent } from '../../src/agents/agent.ts';
import { turnIdOf } from '../../src/contracts/ids.ts';
import { spawnTied } from '../../src/embedded/tied-process.ts';
import { waitForEvent } from '../support/read-events.ts';
import { startStack, type Stack } from '../support/stack.ts';
import { observe } from '../faults/observe.ts';
import { placeOf } from '../faults/open-worker.ts';
import { isAlive } from './support/is-alive.ts';
import { apiKey, mcpAgent } from './support/mcp-agent.ts';

let folder: string;
let agent: Agent;
let stack: Stack;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durascope-mcp-'));
  agent = mcpAgent(join(folder, 'log'));
  stack = await startStack({ agents: [agent] });
});
afterAll(async () => {
  await stack.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('a turn with MCP servers', () => {
  it('asks a person before a tool of a server that nobody trusts', async () => {
    stack.model.calls('mcp__bad__count', {}).says('Counted.');
    const session = stack.session(agent, 'approval');
    const turn = await session.submit('Count');
    const waiting = await turn.result();
    expect(waiting.pending[0]).toMatchObject({
      name: 'mcp__bad__count',
      state: 'asking',
      reason: 'tools of the MCP server bad have to be allowed',
    });
    await session.confirm([{ callId: waiting.pending[0]!.callId, decision: 'allow' }]);
    expect((await turn.result({ until: 'end' })).text).toBe('Counted.');
    expect(stack.model.requests.at(-1)?.results()[0]?.text).toMatch(/^call 1 of process/);
    expect(stack.model.requests.at(-1)?.tools).toContain('mcp__everything__echo');
  });

  it('waits for a person’s word when the server died in the middle of the call', async () => {
    stack.model.calls('mcp__bad__die', {}).says('It was done.');
    const session = stack.session(agent, 'died');
    const turn = await session.submit('Die');
    const waiting = await turn.result();
    expect(waiting.pending[0]).toMatchObject({
      state: 'uncertain',
      reason: expect.stringMatching(/ended in the middle of the call.*SIGKILL/) as string,
    });
    const { callId } = waiting.pending[0]!;
    await session.reconcile([{ callId, outcome: 'happened', content: 'seen in its log', reason: 'looked' }]);
    expect((await turn.result({ until: 'end' })).text).toBe('It was done.');
    expect(stack.model.requests.at(-1)?.results()[0]?.text).toBe('seen in its log');
  });

  it('hands what the server asks in the middle of a call to a person, who answers as at any gate', async () => {
    stack.model.calls('mcp__everything__trigger-elicitation-request', {}).says('Thanks.');
    const session = stack.session(agent, 'elicitation');
    const turn = await session.submit('Ask me');
    const waiting = await turn.result();
    const [call] = waiting.pending;
    expect(call?.question?.question).toMatch(/^everything asks: .*\n.*name/s);
    expect((await session.get())?.state).toBe('waiting');
    const callId = call?.callId ?? '';
    await expect(session.confirm([{ callId, decision: 'allow' }])).rejects.toMatchObject({
      code: 'unfit_answer',
    });
    await session.confirm([{ callId, decision: 'allow', answer: '{"name":"Ada"}' }], { actor: 'ann' });
    expect((await turn.result({ until: 'end' })).text).toBe('Thanks.');
    expect(stack.model.requests.at(-1)?.results()[0]?.text).toMatch(/Name: Ada/);
    const answered = await waitForEvent(turn.events(), 'gate_answered');
    expect(answered).toMatchObject({ callId, answer: 'answer', actor: 'ann' });
  });

  it('lets the server ask the model within its budget, when a person allows it', async () => {
    const name = 'mcp__everything__trigger-sampling-request';
    stack.model.calls(name, { prompt: 'Say hi', maxTokens: 500 }).says('Hi, server.').says('Sampled.');
    const session = stack.session(agent, 'sampling');
    const turn = await session.submit('Sample');
    const [call] = (await turn.result()).pending;
    expect(call?.question?.question).toMatch(/everything wants to ask the model.*Say hi/s);
    await session.confirm([{ callId: call?.callId ?? '', decision: 'allow', answer: 'Allow' }]);
    const ended = await turn.result({ until: 'end' });
    expect(ended.text).toBe('Sampled.');
    // What the server asked for counts besides the turn's own calls.
    const { items } = await session.messages();
    const own = items.reduce((sum, { usage }) => sum + (usage?.outputTokens ?? 0), 0);
    expect(ended.usage.outputTokens).toBeGreaterThan(own);
    expect(stack.model.requests.at(-1)?.results()[0]?.text).toContain('Hi, server.');
    const sampled = stack.model.requests.at(-2)?.body as {
      max_completion_tokens?: number;
      max_tokens?: number;
    };
    expect(sampled.max_completion_tokens ?? sampled.max_tokens).toBe(50);
  });

  it('keeps credentials out of model, transcript, events, history and logs', async () => {
    stack.model.calls('mcp__bad__show_env', {}).says('Seen.');
    const session = stack.session(agent, 'secrets');
    const turn = await session.submit('Show');
    await turn.result({ until: 'end' });
    const events = [];
    for await (const event of turn.events()) events.push(event);
    const { items } = await session.messages();
    const temporal = new Client({ connection: stack.connection });
    const ref = { owner: session.owner, sessionId: session.id };
    const history = await temporal.workflow.getHandle(turnIdOf(ref, turn.turn)).fetchHistory();
    const payloads = JSON.stringify(history, (_, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : value,
    );
    const file = stack.storeUrl.replace('sqlite:', '');
    const store = Buffer.concat([
      await readFile(file),
      await readFile(`${file}-wal`).catch(() => Buffer.of()),
    ]);
    const sources = {
      model: JSON.stringify(stack.model.requests.map(({ body }) => body)),
      events: JSON.stringify(events),
      transcript: JSON.stringify(items),
      history: payloads,
      store: store.toString('latin1'),
    };
    expect(sources.model).toContain('API_KEY');
    for (const [place, text] of Object.entries(sources)) expect(text.includes(apiKey), place).toBe(false);
  });
});

describe('a worker that is killed in the middle of an MCP call', () => {
  it('takes its servers along, and another asks what became of the call', { timeout: 120_000 }, async () => {
    const log = join(folder, 'killed-log');
    const own = await startStack({ agents: [mcpAgent(log)], isStarted: false });
    try {
      const main = fileURLToPath(new URL('support/worker-main.ts', import.meta.url));
      const order = JSON.stringify({ place: placeOf(own), log });
      const victim = spawnTied(process.execPath, [main, order], { stdio: ['ignore', 'pipe', 'inherit'] });
      await once(victim.stdout!, 'data');
      own.model.calls('mcp__bad__slow', {});
      const session = own.session(agent);
      const observer = observe(session);
      const turn = await session.submit('Go');
      await observer.find((event) => event.kind === 'tool_result_delta' && event.progress?.fraction === 0.25);
      own.model.calls('tidy', {}).says('Found out.').says('Tidy.');
      const asking = own.session(agent, 'asking');
      const tidying = await asking.submit('Tidy up');
      const [keep] = (await tidying.result()).pending;
      victim.kill('SIGKILL');
      await once(victim, 'exit');
      const { callId = '', question } = keep ?? {};
      const kept = { callId, questionId: question?.id ?? '', decision: 'allow', answer: 'b1' } as const;
      await asking.confirm([kept]);
      expect((await tidying.get())?.pending).toEqual([]);
      const [pid = 0] = readFileSync(log, 'utf8')
        .split('\n')
        .flatMap((line) => (line.startsWith('start ') ? [Number(line.slice(6))] : []));
      await expect.poll(() => isAlive(pid)).toBe(false);
      await own.startWorker();
      const [call] = (await turn.result()).pending;
      expect(call).toMatchObject({ name: 'mcp__bad__slow', state: 'uncertain' });
      await session.reconcile([
        { callId: call?.callId ?? '', outcome: 'happened', reason: 'its log says so' },
      ]);
      expect((await turn.result({ until: 'end' })).text).toBe('Found out.');
      // What was answered while no worker lived reaches the next one, and nothing else that it asks.
      const [drop] = (await tidying.result()).pending;
      expect(drop).toMatchObject({ callId, question: { question: 'Drop which?' } });
      await expect(asking.confirm([kept])).rejects.toMatchObject({ code: 'conflict' });
      await asking.confirm([{ ...kept, questionId: drop?.question?.id ?? '', answer: 't1' }]);
      expect((await tidying.result({ until: 'end' })).text).toBe('Tidy.');
      expect(own.model.requests.at(-1)?.results()[0]?.text).toMatch(/^\[2,.*"b1".*"t1"/);
      await observer.stop();
    } finally {
      await own.stop();
    }
  });
});
