import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '@temporalio/client';
import type { Flow } from '../../src/client/index.ts';
import { pipelineWorkflowId } from '../../src/contracts/flow.ts';
import { fails, says } from '../../src/testing/index.ts';
import type { DevServer } from '../../src/embedded/dev-server.ts';
import { startStack, type Stack } from '../support/stack.ts';
import { startTemporal } from '../support/temporal.ts';
import { openWorker, placeOf, type OpenWorker } from './open-worker.ts';
import { shopAgent } from './shop-agent.ts';
import { spawnWorker } from './spawn-worker.ts';

const agent = shopAgent('/dev/null');
const shop = (prompt?: string): Flow => ({
  kind: 'turn',
  agent: agent.name,
  ...(prompt === undefined ? {} : { prompt }),
});

let folder: string;
let dataDir: string;
let server: DevServer;
let stack: Stack;
let worker: OpenWorker | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durascope-pipelines-'));
  dataDir = join(folder, 'temporal');
  server = await serve();
  stack = await startStack({ agents: [agent], address: server.address, isStarted: false });
});
afterEach(async () => {
  await worker?.stop();
  worker = undefined;
});
afterAll(async () => {
  await stack.stop();
  await server.kill();
  await rm(folder, { recursive: true, force: true });
});

/** Workflows rotate after some 60 events instead of a thousand. */
function serve(port?: number): Promise<DevServer> {
  return startTemporal({
    dataDir,
    extraArgs: ['--dynamic-config-value', 'limit.historyCount.suggestContinueAsNew=60'],
    ...(port === undefined ? {} : { port }),
  });
}

async function work(): Promise<void> {
  worker = await openWorker(placeOf(stack), { agents: [agent] });
}

function start(flow: Flow, input: string) {
  return stack.client.pipelines.start({ owner: 'acme', id: `p-${randomUUID().slice(0, 8)}`, flow, input });
}

/** Inputs of all turns, as the model saw them last. */
function asked(): string[] {
  return stack.model.requests.map(({ messages }) => messages.at(-1)?.text ?? '');
}

describe('a pipeline that is data', () => {
  it('goes through steps, branches, a loop and a fan-out, and answers with all of it', async () => {
    await work();
    stack.model.answers(({ messages }) => {
      const text = messages.at(-1)?.text ?? '';
      if (text.startsWith('List')) return says('Here: ["red", "green", "blue"]');
      if (text.startsWith('Grow')) return says(`${text.slice('Grow: '.length)}!`);
      if (text.startsWith('Sum up')) return says(`SUM<${text}>`);
      return says(text.toUpperCase());
    });
    const pipeline = await start(
      {
        kind: 'pipeline',
        steps: [
          shop('List: {{input}}'),
          {
            kind: 'branch',
            when: { all: [{ contains: 'RED' }, { not: { contains: 'pink' } }] },
            do: { kind: 'fan_out', items: 'json', concurrency: 2, body: shop() },
          },
          {
            kind: 'parallel',
            branches: [
              { name: 'sum', flow: shop('Sum up:') },
              {
                name: 'grown',
                flow: { kind: 'loop', body: shop('Grow: {{input}}'), until: { contains: '!!' }, limit: 5 },
              },
            ],
          },
        ],
      },
      'colors',
    );
    const { text, turns, failures } = await pipeline.result();
    const fanned = '## red\n\nRED\n\n## green\n\nGREEN\n\n## blue\n\nBLUE';
    expect(text).toBe(`## sum\n\nSUM<Sum up:\n\n${fanned}>\n\n## grown\n\n${fanned}!!`);
    expect({ turns, failures }).toEqual({ turns: 7, failures: [] });
    expect(await pipeline.status()).toEqual({ state: 'done' });
  });

  it('lets agents of a hub hear each other, each what it has not heard', async () => {
    await work();
    const heard: string[] = [];
    stack.model.answers(({ messages }) => {
      heard.push(messages.at(-1)?.text ?? '');
      return says(`word ${heard.length} <b>`);
    });
    const members = [
      { name: 'ann', agent: agent.name },
      { name: 'bob', agent: agent.name },
    ];
    const pipeline = await start({ kind: 'hub', members, rounds: 2 }, 'Talk');
    expect((await pipeline.result()).text).toBe('word 4 <b>');
    expect(heard).toEqual([
      'Talk',
      'Talk<team-message from="ann">\nword 1 &lt;b&gt;\n</team-message>\n',
      '<team-message from="bob">\nword 2 &lt;b&gt;\n</team-message>\n',
      '<team-message from="ann">\nword 3 &lt;b&gt;\n</team-message>\n',
    ]);
  });

  it('names the items that failed, and fails itself only when all did', async () => {
    await work();
    stack.model.answers(({ messages }) => {
      const text = messages.at(-1)?.text ?? '';
      return text === 'two' || text === 'bad' ? fails(401) : says(text.toUpperCase());
    });
    const fan = (...items: string[]): Flow => ({ kind: 'fan_out', items, body: shop(), concurrency: 3 });
    const some = await (await start(fan('one', 'two', 'three'), 'x')).result();
    expect(some.text).toMatch(/^## one\n\nONE\n\n## two\n\n\(failed: .*401.*\)\n\n## three\n\nTHREE$/s);
    expect(some.failures).toMatchObject([{ place: '1.2' }]);
    expect(await (await start(fan('bad', 'bad'), 'x')).result()).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('All 2 items') as string,
    });
    expect(await (await start(shop(), 'bad')).result()).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('ended without an answer') as string,
    });
  });

  it('refuses what it can’t carry out, and names the place', async () => {
    const flow = { kind: 'pipeline', steps: [shop(), { kind: 'loop', body: shop(), limit: 0 }] } as Flow;
    await expect(start(flow, 'x')).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('flow.steps[1].limit: write at least 1') as string,
    });
    const unknown = { kind: 'spiral' } as unknown as Flow;
    await expect(start(unknown, 'x')).rejects.toThrow('write a kind: turn, pipeline');
    await expect(stack.client.pipelines.get('acme', 'none').result()).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('is started once under an id, which another flow or input can’t take', async () => {
    const { pipelines } = stack.client;
    const flow: Flow = { kind: 'fan_out', items: ['a'], body: shop(), concurrency: 1 };
    const one = { owner: 'acme', id: `p-${randomUUID().slice(0, 8)}`, flow, input: 'x' };
    await pipelines.start(one);
    const { kind, ...rest } = flow;
    expect((await pipelines.start({ ...one, flow: { ...rest, kind } })).id).toBe(one.id);
    for (const other of [{ flow: shop() }, { input: 'y' }, { permissionMode: 'dont_ask' as const }])
      await expect(pipelines.start({ ...one, ...other })).rejects.toMatchObject({ code: 'conflict' });
    await pipelines.get('acme', one.id).cancel();
  });

  it('is cancelled with the turns that run', async () => {
    await work();
    stack.model.hangs({ before: 'headers' });
    const before = stack.model.requests.length;
    const pipeline = await start(shop(), 'wait');
    await stack.model.waitForRequest(before + 1);
    await pipeline.cancel();
    expect(await pipeline.result()).toMatchObject({ state: 'cancelled' });
    expect(await pipeline.status()).toEqual({ state: 'cancelled' });
  });

  it('loses nothing and asks nothing twice when its worker is killed and Temporal restarts, over several runs', async () => {
    const items = Array.from({ length: 24 }, (_, i) => `item ${i + 1}`);
    stack.model.answers(({ messages }) => says((messages.at(-1)?.text ?? '').toUpperCase()));
    const order = { place: placeOf(stack), effectsFile: '/dev/null' };
    const first = await spawnWorker({ ...order, killAt: 'after calls.commitStep 8' });
    const begun = stack.model.requests.length;
    const pipeline = await start({ kind: 'fan_out', items, body: shop(), concurrency: 4 }, 'x');
    expect(await first.ended).toBe('SIGKILL');

    const port = Number(server.address.split(':')[1]);
    await server.kill();
    server = await serve(port);
    await work();
    const { text, turns } = await pipeline.result();
    expect(text).toBe(items.map((item) => `## ${item}\n\n${item.toUpperCase()}`).join('\n\n'));
    expect(turns).toBe(24);
    // A call whose answer was not committed is made again, and no other.
    const made = asked().slice(begun);
    expect(new Set(made)).toEqual(new Set(items));
    expect(made.length).toBeLessThanOrEqual(24 + 4);

    const { workflow } = new Client({ connection: stack.connection });
    const chain = await workflow.getHandle(pipelineWorkflowId(pipeline)).describe();
    expect(chain.historyLength).toBeLessThan(250);
    const { firstExecutionRunId } = await firstRunOf(workflow, pipelineWorkflowId(pipeline));
    expect(firstExecutionRunId).not.toBe(chain.runId);
  });
});

async function firstRunOf(workflow: Client['workflow'], workflowId: string) {
  const { events } = await workflow.getHandle(workflowId).fetchHistory();
  const started = events?.[0]?.workflowExecutionStartedEventAttributes;
  return { firstExecutionRunId: started?.firstExecutionRunId };
}
