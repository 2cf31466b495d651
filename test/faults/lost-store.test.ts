import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../../src/store/store-errors.ts';
import { says } from '../../src/testing/index.ts';
import { hasPostgres, startPostgres, type TestPostgres } from '../support/postgres.ts';
import { startStack, type Stack } from '../support/stack.ts';
import { hookStore, turnstile, type StoreMethod } from './hook-store.ts';
import { expectPaired, expectWholeStory, observe } from './observe.ts';
import { openWorker, placeOf, type OpenWorker, type OpenWorkerOptions } from './open-worker.ts';
import { effectsIn, shopAgent } from './shop-agent.ts';

let folder: string;
let effectsFile: string;
let stack: Stack;
let worker: OpenWorker | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durascope-faults-'));
  effectsFile = join(folder, 'effects');
});
afterEach(async () => {
  await worker?.stop();
  worker = undefined;
  await stack.stop();
  await rm(folder, { recursive: true, force: true });
});

async function open(storeUrl?: string, wrapStore?: OpenWorkerOptions['wrapStore']): Promise<void> {
  const agents = [shopAgent(effectsFile)];
  stack = await startStack({
    agents,
    isStarted: false,
    ...(storeUrl === undefined ? {} : { storeUrl }),
  });
  worker = await openWorker(placeOf(stack), { agents, ...(wrapStore ? { wrapStore } : {}) });
}

const slowAnswer = says('A long answer, told in many small pieces.', { fragment: 4, delayMs: 20 });

describe.skipIf(!hasPostgres())('PostgreSQL that crashes', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.stop());

  it('while the model streams: the answer is kept until the store is back, and asked for once', async () => {
    await open(await postgres.createDatabase());
    stack.model.queue(slowAnswer);
    const session = stack.session(shopAgent(effectsFile));
    const observer = observe(session);
    const turn = await session.submit('Tell');
    await observer.find(({ kind }) => kind === 'text_delta');
    await postgres.crash();
    await expect.poll(() => stack.model.requests[0]?.endedAt, { timeout: 20_000 }).toBeDefined();
    await postgres.restart();

    expect(await turn.result()).toMatchObject({
      finishReason: 'model_stop',
      text: 'A long answer, told in many small pieces.',
    });
    expect(stack.model.requests).toHaveLength(1);
    await expectWholeStory(observer, session);
    await observer.stop();
  });

  it('right after a tool acted: its result is kept until the store is back, and it acts once', async () => {
    const gate = turnstile();
    await open(await postgres.createDatabase(), (store) =>
      hookStore(store, 'calls.settle', { before: gate.pass }),
    );
    stack.model.calls('charge', { orderId: '7' }).says('Charged.');
    const session = stack.session(shopAgent(effectsFile));
    const observer = observe(session);
    const turn = await session.submit('Charge');
    await gate.reached;
    await postgres.crash();
    gate.open();
    await postgres.restart();

    expect(await turn.result()).toMatchObject({ finishReason: 'model_stop', text: 'Charged.' });
    expect(effectsIn(effectsFile)).toHaveLength(1);
    expect(stack.model.requests).toHaveLength(2);
    expectPaired(stack.model.requests[1]!);
    await expectWholeStory(observer, session);
    await observer.stop();
  });

  it('while a turn is opened: the turn waits for it', async () => {
    const gate = turnstile();
    await open(await postgres.createDatabase(), (store) =>
      hookStore(store, 'turns.open', { before: gate.pass }),
    );
    stack.model.says('Hello.');
    const session = stack.session(shopAgent(effectsFile));
    const observer = observe(session);
    const turn = await session.submit('Hi');
    await gate.reached;
    await postgres.crash();
    gate.open();
    await postgres.restart();

    expect(await turn.result()).toMatchObject({ finishReason: 'model_stop', text: 'Hello.' });
    expect(stack.model.requests).toHaveLength(1);
    await expectWholeStory(observer, session);
    await observer.stop();
  });

  it('and restarts at every step of a turn: it ends right', async () => {
    await open(await postgres.createDatabase());
    stack.model
      .calls('look', { orderId: '1' }, { delayMs: 20, fragment: 4, text: 'Let me look at it.' })
      .calls('charge', { orderId: '1' }, { delayMs: 20, fragment: 4, text: 'Let me charge it.' })
      .says('Looked and charged.');
    const session = stack.session(shopAgent(effectsFile));
    const observer = observe(session);
    const turn = await session.submit('Look and charge');
    for (const step of [1, 2]) {
      await observer.find((event) => event.kind === 'model_call_start' && event.step === step);
      await postgres.restart();
    }
    expect(await turn.result()).toMatchObject({ finishReason: 'model_stop', text: 'Looked and charged.' });
    expect(effectsIn(effectsFile).filter(({ tool }) => tool === 'charge')).toHaveLength(1);
    expect(stack.model.requests).toHaveLength(3);
    await expectWholeStory(observer, session);
    await observer.stop();
  });
});

describe('a connection that breaks after the commit, before its answer', () => {
  const losses: StoreMethod[] = [
    'sessions.open',
    'turns.open',
    'events.appendEphemeral',
    'calls.commitStep',
    'calls.dispatch',
    'calls.settle',
    'turns.setState',
    'calls.move',
    'turns.close',
  ];
  it.each(losses)('of %s: the turn ends as if nothing had happened', async (method) => {
    // The second write of a stream is one of deltas alone.
    const lost = method === 'events.appendEphemeral' ? 2 : 1;
    let commits = 0;
    const lose = () => {
      commits += 1;
      if (commits === lost) throw new StoreUnavailableError('the connection broke');
    };
    await open(undefined, (store) => hookStore(store, method, { after: lose }));
    stack.model
      .calls('refund', { orderId: '7' }, { delayMs: 20, fragment: 4, text: 'I refund it and then I pay.' })
      .calls('pay', { orderId: '7' })
      .says('Refunded and paid.');
    const session = stack.session(shopAgent(effectsFile));
    const observer = observe(session);
    const turn = await session.submit('Refund and pay');
    const [call] = (await turn.result()).pending;
    await session.confirm([{ callId: call?.callId ?? '', decision: 'allow' }]);

    expect(await turn.result()).toMatchObject({ finishReason: 'model_stop', text: 'Refunded and paid.' });
    expect(commits).toBeGreaterThanOrEqual(lost);
    expect(stack.model.requests).toHaveLength(3);
    expect(effectsIn(effectsFile).map(({ tool }) => tool)).toEqual(['refund', 'pay']);
    await expectWholeStory(observer, session);
    await observer.stop();
  });
});

describe('a SQLite file that another process holds', () => {
  it('is waited for: nothing is lost, and the model is asked once', async () => {
    const storeUrl = `sqlite:${join(folder, 'store.db')}`;
    await open(storeUrl);
    stack.model.queue(slowAnswer);
    const session = stack.session(shopAgent(effectsFile));
    const observer = observe(session);
    const turn = await session.submit('Tell');
    await observer.find(({ kind }) => kind === 'text_delta');
    const release = await holdFile(join(folder, 'store.db'));
    await expect.poll(() => stack.model.requests[0]?.endedAt, { timeout: 20_000 }).toBeDefined();
    await release();

    expect((await turn.result()).text).toBe('A long answer, told in many small pieces.');
    expect(stack.model.requests).toHaveLength(1);
    await expectWholeStory(observer, session);
    await observer.stop();
  });
});

/** Another process that writes for as long as it is let. */
async function holdFile(path: string): Promise<() => Promise<void>> {
  const code = `
    const { DatabaseSync } = require('node:sqlite');
    const database = new DatabaseSync(process.argv[1], { timeout: 5000 });
    database.exec('begin immediate');
    console.log('held');
    process.stdin.once('data', () => setTimeout(() => { database.exec('rollback'); process.exit(); }, 300));`;
  const holder = spawn(process.execPath, ['-e', code, path], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(holder.stdout, 'data');
  return async () => {
    const ended = once(holder, 'exit');
    holder.stdin.end('go');
    await ended;
  };
}
