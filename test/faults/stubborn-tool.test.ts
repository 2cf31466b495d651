import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { Latch } from '../support/latch.ts';
import { startStack } from '../support/stack.ts';
import { expectPaired, expectWholeStory, observe } from './observe.ts';
import { openWorker, placeOf } from './open-worker.ts';
import { shopAgent } from './shop-agent.ts';
import { spawnWorker } from './spawn-worker.ts';

describe('an interrupt', () => {
  it('does not wait for a tool that ignores its signal, and ignores the result that it brings later', async () => {
    const [began, returns] = [new Latch(), new Latch<string>()];
    const deaf = defineTool({
      name: 'deaf',
      description: 'Ignores its signal',
      input: z.object({}),
      permission: 'allow',
      execute() {
        began.open();
        return returns.promise;
      },
    });
    const agent = defineAgent({
      name: 'deaf',
      model: 'openai/gpt-test',
      instructions: 'Be brief.',
      tools: [deaf],
    });
    const stack = await startStack({ agents: [agent] });
    onTestFinished(() => stack.stop());
    stack.model.calls('deaf', {}).says('It was stopped.');
    const session = stack.session(agent);
    const observer = observe(session);
    const turn = await session.submit('Go');
    await began.promise;
    await session.interrupt();
    expect((await turn.result()).finishReason).toBe('interrupted');
    returns.open('here at last');
    await returns.promise;

    expect((await (await session.submit('What became of it?')).result()).text).toBe('It was stopped.');
    expectPaired(stack.model.requests[1]!);
    expect(stack.model.requests[1]?.results().map(({ text }) => text)).toEqual([
      expect.stringMatching(/may have taken effect/) as string,
    ]);
    await expectWholeStory(observer, session, 2);
    await observer.stop();
  });

  it.concurrent.each([
    { title: 'blocks its worker', tool: 'block' },
    { title: 'was lost with its worker', tool: 'ship' },
  ])('ends a turn whose tool $title', { timeout: 120_000 }, async ({ tool }) => {
    const folder = await mkdtemp(join(tmpdir(), 'durascope-faults-'));
    const effectsFile = join(folder, 'effects');
    const agents = [shopAgent(effectsFile)];
    const stack = await startStack({ agents, isStarted: false });
    const worker = await spawnWorker({ place: placeOf(stack), effectsFile, isLoose: true });
    const session = stack.session(shopAgent(effectsFile));
    const observer = observe(session);
    stack.model.calls(tool, { orderId: '7' }).says('Here I am.');
    const turn = await session.submit('Go');
    await observer.find(({ kind }) => kind === 'tool_result_delta');
    if (tool === 'ship') worker.kill('SIGKILL');
    const survivor = await openWorker(placeOf(stack), { agents });
    try {
      await session.interrupt();
      expect((await turn.result({ until: 'end' })).finishReason).toBe('interrupted');
      worker.kill('SIGKILL');
      expect((await (await session.submit('Are you there?')).result()).text).toBe('Here I am.');
      expectPaired(stack.model.requests[1]!);
      await expectWholeStory(observer, session, 2);
    } finally {
      await observer.stop();
      await survivor.stop();
      await stack.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
