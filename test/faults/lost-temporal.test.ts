import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DevServer } from '../../src/embedded/dev-server.ts';
import { says } from '../../src/testing/index.ts';
import { startStack, type Stack } from '../support/stack.ts';
import { startTemporal } from '../support/temporal.ts';
import { hookStore, turnstile } from './hook-store.ts';
import { expectPaired, expectWholeStory, observe } from './observe.ts';
import { openWorker, placeOf, type OpenWorker } from './open-worker.ts';
import { effectsIn, shopAgent } from './shop-agent.ts';

let folder: string;
let effectsFile: string;
let dataDir: string;
let server: DevServer;
let stack: Stack;
let worker: OpenWorker;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durascope-faults-'));
  effectsFile = join(folder, 'effects');
  dataDir = join(folder, 'temporal');
  server = await startTemporal({ dataDir });
});
afterEach(async () => {
  await worker.stop();
  await stack.stop();
  await server.kill();
  await rm(folder, { recursive: true, force: true });
});

/** As when the machine is lost: the server is killed, and comes back on its file. */
async function loseServer(): Promise<void> {
  const port = Number(server.address.split(':')[1]);
  await server.kill();
  server = await startTemporal({ dataDir, port });
}

describe('a Temporal server that is killed and comes back on its file', () => {
  it('in mid-turn: what runs is taken in, and the turn ends right', async () => {
    const gate = turnstile();
    const agents = [shopAgent(effectsFile)];
    stack = await startStack({ agents, address: server.address, isStarted: false });
    worker = await openWorker(placeOf(stack), {
      agents,
      wrapStore: (store) => hookStore(store, 'calls.settle', { before: gate.pass }),
    });
    stack.model.calls('charge', { orderId: '7' }).says('Charged.');
    const session = stack.session(shopAgent(effectsFile));
    const observer = observe(session);
    const turn = await session.submit('Charge');
    await gate.reached;
    await loseServer();
    gate.open();

    expect(await turn.result()).toMatchObject({ finishReason: 'model_stop', text: 'Charged.' });
    expect(effectsIn(effectsFile)).toHaveLength(1);
    expect(stack.model.requests).toHaveLength(2);
    expectPaired(stack.model.requests[1]!);
    await expectWholeStory(observer, session);
    await observer.stop();
  });

  it('while a turn waits at a gate: it still waits, takes the answer, and the session goes on', async () => {
    const agents = [shopAgent(effectsFile)];
    stack = await startStack({ agents, address: server.address, isStarted: false });
    worker = await openWorker(placeOf(stack), { agents });
    stack.model.calls('pay', { orderId: '7' }).answers(() => says('Paid.'));
    const session = stack.session(shopAgent(effectsFile));
    const observer = observe(session);
    const turn = await session.submit('Pay');
    const [call] = (await turn.result()).pending;
    await loseServer();
    await session.confirm([{ callId: call?.callId ?? '', decision: 'allow' }]);

    expect(await turn.result()).toMatchObject({ finishReason: 'model_stop', text: 'Paid.' });
    expect(effectsIn(effectsFile)).toHaveLength(1);
    expect((await (await session.submit('Thanks')).result()).text).toBe('Paid.');
    await expectWholeStory(observer, session, 2);
    await observer.stop();
  });
});
