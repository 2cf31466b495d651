import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type WorkflowHandle } from '@temporalio/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Session, Turn } from '../../src/client/index.ts';
import { sessionWorkflowId } from '../../src/contracts/ids.ts';
import { says } from '../../src/testing/index.ts';
import { Latch } from '../support/latch.ts';
import { startStack, type Stack } from '../support/stack.ts';
import { hookStore, turnstile } from './hook-store.ts';
import { expectPaired, expectWholeStory, observe } from './observe.ts';
import { openWorker, placeOf, type OpenWorker } from './open-worker.ts';
import { effectsIn, shopAgent } from './shop-agent.ts';

let folder: string;
let effectsFile: string;
let stack: Stack;
let worker: OpenWorker | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durascope-faults-'));
  effectsFile = join(folder, 'effects');
  stack = await startStack({ agents: [shopAgent(effectsFile)], isStarted: false });
});
afterEach(async () => {
  await worker?.stop();
  worker = undefined;
  await stack.stop();
  await rm(folder, { recursive: true, force: true });
});

function workflow(id: string): WorkflowHandle {
  return new Client({ connection: stack.connection }).workflow.getHandle(id);
}

function sessionWorkflow(session: Session): WorkflowHandle {
  return workflow(sessionWorkflowId({ owner: session.owner, sessionId: session.id }));
}

/** Where a turn is when its workflow is ended, and how a test gets it there. */
const places = {
  'while the model streams': async (session: Session) => {
    stack.model.hangs({ before: 'afterChunks', chunks: 4, step: says('One, two, three, four, five, six.') });
    const observer = observe(session);
    const turn = await session.submit('Count');
    await observer.find(({ kind }) => kind === 'text_delta');
    await observer.stop();
    return turn;
  },
  'while a tool runs': async (session: Session) => {
    stack.model.calls([
      ['ship', { orderId: '7' }],
      ['charge', { orderId: '7' }],
    ]);
    const observer = observe(session);
    const turn = await session.submit('Ship');
    await observer.find(({ kind }) => kind === 'tool_result_delta');
    await observer.stop();
    return turn;
  },
  'while it waits at a gate': async (session: Session) => {
    stack.model.calls('pay', { orderId: '7' });
    const turn = await session.submit('Pay');
    await turn.result();
    return turn;
  },
};

async function expectNextTurnToWork(session: Session): Promise<void> {
  stack.model.says('Here I am.');
  const next = await session.submit('Are you there?');
  expect(await next.result()).toMatchObject({ finishReason: 'model_stop', text: 'Here I am.' });
  expectPaired(stack.model.requests.at(-1)!);
  expect(effectsIn(effectsFile).filter(({ tool }) => tool !== 'ship')).toEqual([]);
}

describe.each(Object.entries(places))('%s', (_, reach) => {
  const rows: [string, string, (session: Session, turn: Turn) => Promise<unknown>][] = [
    ['cancelling the turn interrupts it', 'interrupted', (_session, turn) => workflow(turn.id).cancel()],
    ['cancelling the session interrupts it', 'interrupted', (session) => sessionWorkflow(session).cancel()],
    [
      'terminating the turn closes it with an error',
      'error',
      (_session, turn) => workflow(turn.id).terminate(),
    ],
  ];
  it.each(rows)('%s, and the session goes on', async (_title, finishReason, end) => {
    await stack.startWorker();
    const session = stack.session(shopAgent(effectsFile));
    const observer = observe(session);
    const turn = await reach(session);
    await end(session, turn);
    const reply = await turn.result({ until: 'end' });
    expect(reply.finishReason).toBe(finishReason);
    expect(reply.error !== undefined).toBe(finishReason === 'error');
    await expectNextTurnToWork(session);
    await expectWholeStory(observer, session, 2);
    await observer.stop();
  });

  it('terminating the session closes its turn with an error by the next input, and the session goes on', async () => {
    await stack.startWorker();
    const session = stack.session(shopAgent(effectsFile));
    const observer = observe(session);
    const turn = await reach(session);
    await sessionWorkflow(session).terminate();
    // The server ends the turn a little later: until then it still waits at its gate.
    await expect(workflow(turn.id).result()).rejects.toThrow();
    await expectNextTurnToWork(session);
    expect(await turn.result({ until: 'end' })).toMatchObject({
      finishReason: 'error',
      error: { message: expect.stringMatching(/ended from outside/) as string },
    });
    await expectWholeStory(observer, session, 2);
    await observer.stop();
  });
});

describe('a session that is cancelled', () => {
  it('keeps the turns that had not begun, and runs each of them once', async () => {
    await stack.startWorker();
    const session = stack.session(shopAgent(effectsFile));
    stack.model.hangs({ before: 'firstToken' });
    const running = await session.submit('first');
    await stack.model.waitForRequest(1);
    const queued = [await session.submit('second'), await session.submit('third')];
    await sessionWorkflow(session).cancel();
    expect((await running.result()).finishReason).toBe('interrupted');
    await expect(sessionWorkflow(session).result()).rejects.toThrow();

    stack.model.hangs({ before: 'firstToken' }).answers((request) => says(`on ${request.lastUserText}`));
    const fourth = await session.submit('fourth');
    await stack.model.waitForRequest(2);
    await session.interrupt();
    expect((await queued[0]!.result()).finishReason).toBe('interrupted');
    expect((await queued[1]!.result()).text).toBe('on third');
    expect((await fourth.result()).text).toBe('on fourth');

    // A later run of the session must not find them again.
    await sessionWorkflow(session).terminate();
    const fifth = await session.submit('fifth');
    expect((await fifth.result()).text).toBe('on fifth');
    expect(fifth.turn).toBe(5);
    expect(stack.model.requests.map(({ lastUserText }) => lastUserText)).toEqual([
      'first',
      'second',
      'third',
      'fourth',
      'fifth',
    ]);
  });
});

describe('a worker that goes on with a turn which was ended without its knowledge', () => {
  it('adds no answer of the model to it', async () => {
    const gate = turnstile();
    const isDone = new Latch();
    worker = await openWorker(placeOf(stack), {
      agents: [shopAgent(effectsFile)],
      wrapStore: (store) =>
        hookStore(
          {
            ...store,
            calls: {
              ...store.calls,
              commitStep: (input) => store.calls.commitStep(input).finally(() => isDone.open()),
            },
          },
          'calls.commitStep',
          { before: gate.pass },
        ),
    });
    const session = stack.session(shopAgent(effectsFile));
    const observer = observe(session);
    stack.model.calls('charge', { orderId: '7' }).says('Here I am.');
    const turn = await session.submit('Charge');
    await gate.reached;
    await sessionWorkflow(session).terminate();
    const next = await session.submit('Are you there?');
    expect((await turn.result()).finishReason).toBe('error');
    gate.open();
    await isDone.promise;
    expect((await next.result()).text).toBe('Here I am.');

    const messages = (await session.messages()).items;
    expect(messages.map(({ id }) => id)).toEqual(['1/input', '2/input', '2/1']);
    expect(effectsIn(effectsFile)).toEqual([]);
    await expectWholeStory(observer, session, 2);
    await observer.stop();
  });

  it('adds no result of a tool to it', async () => {
    const gate = turnstile();
    worker = await openWorker(placeOf(stack), {
      agents: [shopAgent(effectsFile)],
      wrapStore: (store) => hookStore(store, 'calls.settle', { before: gate.pass }),
    });
    const session = stack.session(shopAgent(effectsFile));
    const observer = observe(session);
    stack.model.calls('charge', { orderId: '7' }).says('Here I am.');
    const turn = await session.submit('Charge');
    await gate.reached;
    await sessionWorkflow(session).terminate();
    const next = await session.submit('Are you there?');
    expect((await turn.result()).finishReason).toBe('error');
    gate.open();
    expect((await next.result()).text).toBe('Here I am.');
    expectPaired(stack.model.requests[1]!);
    expect(stack.model.requests[1]?.results()[0]?.text).toMatch(/ended before this call had a result/);
    await expectWholeStory(observer, session, 2);
    await observer.stop();
  });
});
