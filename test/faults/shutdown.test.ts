import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { says } from '../../src/testing/index.ts';
import { startStack, type Stack } from '../support/stack.ts';
import { expectPaired, expectWholeStory, observe } from './observe.ts';
import { placeOf } from './open-worker.ts';
import { effectsIn, shopAgent } from './shop-agent.ts';
import { spawnWorker } from './spawn-worker.ts';

let folder: string;
let effectsFile: string;
let stack: Stack;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durascope-faults-'));
  effectsFile = join(folder, 'effects');
  stack = await startStack({ agents: [shopAgent(effectsFile)], isStarted: false });
});
afterEach(async () => {
  await stack.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('a worker that is asked to end (SIGTERM)', () => {
  it('hands a running model call to another, and nothing counts as interrupted', async () => {
    stack.model
      .hangs({ before: 'afterChunks', chunks: 4, step: says('Once upon a time there was a worker.') })
      .says('The whole story.');
    const leaving = await spawnWorker({ place: placeOf(stack), effectsFile });
    const session = stack.session(shopAgent(effectsFile));
    const observer = observe(session);
    const turn = await session.submit('Tell');
    await observer.find(({ kind }) => kind === 'text_delta');
    leaving.kill('SIGTERM');
    expect(await leaving.ended).toBe(0);
    await stack.startWorker();

    expect(await turn.result()).toMatchObject({ finishReason: 'model_stop', text: 'The whole story.' });
    expect(observer.events.map(({ kind }) => kind)).not.toContain('interrupted');
    const attempts = observer.events.flatMap((event) =>
      event.kind === 'model_call_start' ? [event.attempt] : [],
    );
    expect(attempts).toEqual([1, 2]);
    await expectWholeStory(observer, session);
    await observer.stop();
    stack.model.assertDone();
  });

  it('hands a running tool to another, under the same idempotency key', async () => {
    stack.model.calls('ship', { orderId: '7' }).says('Shipped.');
    const leaving = await spawnWorker({ place: placeOf(stack), effectsFile });
    const session = stack.session(shopAgent(effectsFile));
    const observer = observe(session);
    const turn = await session.submit('Ship order 7');
    await observer.find(({ kind }) => kind === 'tool_result_delta');
    leaving.kill('SIGTERM');
    expect(await leaving.ended).toBe(0);
    await stack.startWorker();

    expect(await turn.result()).toMatchObject({ finishReason: 'model_stop', text: 'Shipped.' });
    const effects = effectsIn(effectsFile);
    expect(effects.map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(effects[1]?.idempotencyKey).toBe(effects[0]?.idempotencyKey);
    expect(stack.model.requests).toHaveLength(2);
    for (const request of stack.model.requests) expectPaired(request);
    expect(stack.model.requests[1]?.results().map(({ text }) => text)).toEqual(['ship 7: done']);
    expect(observer.events.map(({ kind }) => kind)).not.toContain('interrupted');
    await expectWholeStory(observer, session);
    await observer.stop();
  });
});
