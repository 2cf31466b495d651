import { Client } from '@temporalio/client';
import { afterEach, describe, expect, it } from 'vitest';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { sessionWorkflowId } from '../../src/contracts/ids.ts';
import { says } from '../../src/testing/index.ts';
import { holdTool } from '../support/hold-tool.ts';
import { Latch } from '../support/latch.ts';
import { startStack, type Stack } from '../support/stack.ts';

let stack: Stack;
afterEach(() => stack.stop());

const [gate, entered] = [new Latch(), new Latch()];
const hold = holdTool(() => ({ entered, gate }));
const agent = defineAgent({
  name: 'clerk',
  model: 'openai/gpt-test',
  instructions: 'Be brief.',
  tools: [hold],
});

describe('a session', () => {
  it('runs its turns one at a time, in order, and other sessions meanwhile', async () => {
    stack = await startStack({ agents: [agent] });
    stack.model.calls('hold', {});
    stack.model.answers(({ lastUserText }) => says(`re: ${lastUserText}`));
    const session = stack.session(agent, 'busy');
    const first = await session.submit('first');
    await entered.promise;
    const second = await session.submit('second');
    expect(second.status).toBe('queued');
    await expect(session.submit('third', { ifBusy: 'reject' })).rejects.toMatchObject({ code: 'busy' });

    const elsewhere = await stack.session(agent, 'other').submit('elsewhere');
    expect((await elsewhere.result()).text).toBe('re: elsewhere');
    gate.open();
    expect((await first.result()).text).toBe('re: first');
    expect((await second.result()).text).toBe('re: second');
    const texts = (await session.messages()).items.flatMap(({ role, content }) =>
      role === 'user' && content[0]?.type === 'text' ? content[0].text : [],
    );
    expect(texts).toEqual(['first', 'second']);
  });

  it('returns when idle, and comes back with its memory and its knowledge of repeats', async () => {
    stack = await startStack({ agents: [agent], sessionLingerMs: 1 });
    stack.model.answers(({ messages }) => says(`message ${messages.length}`));
    const session = stack.session(agent, 'idle');
    const first = await session.submit('one', { idempotencyKey: 'k1' });
    await first.result();
    const workflow = new Client({ connection: stack.connection }).workflow.getHandle(
      sessionWorkflowId({ owner: session.owner, sessionId: session.id }),
    );
    await workflow.result();

    const again = await session.submit('one', { idempotencyKey: 'k1' });
    expect(again).toMatchObject({ id: first.id, status: 'repeated' });
    const second = await session.submit('two');
    expect(second.turn).toBe(2);
    expect((await second.result()).text).toBe('message 3');
  });

  it('refuses an input that is none, and names the field and the remedy', async () => {
    stack = await startStack({ agents: [agent] });
    const session = stack.session(agent, 'strict');
    await expect(session.submit('  ')).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringMatching(/input is empty/) as string,
    });
    await expect(session.submit('x'.repeat(5 * 1024 * 1024))).rejects.toThrow(/above the limit/);
    await expect(
      session.submit([{ type: 'data', mediaType: 'png', source: { type: 'url', url: 'x' } }]),
    ).rejects.toThrow(/input\[0\]\.mediaType/);
    expect(() => stack.client.session({ owner: 'a/b', id: 'x', agent: 'clerk' })).toThrow(/owner "a\/b"/);
    await expect(stack.client.session({ owner: 'nobody', id: 'x' }).submit('hi')).rejects.toThrow(
      /name an agent/,
    );
    await expect(session.submit('hi', { idempotencyKey: 'k'.repeat(300) })).rejects.toMatchObject({
      code: 'invalid_input',
    });
    await expect(session.confirm(null as never)).rejects.toMatchObject({ code: 'invalid_input' });
    expect(() => session.turn(0)).toThrow(/numbered from 1/);
    await expect(session.turn(99).result()).rejects.toMatchObject({ code: 'not_found' });
  });

  it('keeps its agent', async () => {
    stack = await startStack({ agents: [agent] });
    stack.model.says('Hi.');
    const session = stack.session(agent, 'owned');
    await (await session.submit('Hi')).result();
    const other = stack.client.session({ owner: session.owner, id: session.id, agent: 'other' });
    await expect(other.submit('Hi')).rejects.toThrow(/belongs to the agent clerk/);
  });

  it('carries a large input by reference', async () => {
    stack = await startStack({ agents: [agent] });
    stack.model.says('Long.');
    const long = 'word '.repeat(100_000);
    const turn = await stack.session(agent, 'large').submit(long);
    expect((await turn.result()).text).toBe('Long.');
    expect(stack.model.requests[0]?.lastUserText).toBe(long);
    const handle = new Client({ connection: stack.connection }).workflow.getHandle(turn.id);
    expect((await handle.describe()).historySize).toBeLessThan(20_000);
  });
});
