import { Client } from '@temporalio/client';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { sessionWorkflowId } from '../../src/contracts/ids.ts';
import { confirmSignal, turnQuery } from '../../src/contracts/messages.ts';
import { foldEvents } from '../../src/core/fold-events.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { readEvents } from '../support/read-events.ts';
import { startStack, type Stack } from '../support/stack.ts';

let stack: Stack;
afterEach(() => stack.stop());

const paid: number[] = [];
const pay = defineTool({
  name: 'pay',
  description: 'Pays an amount',
  input: z.object({ amount: z.number().positive() }),
  permission: 'ask',
  execute({ amount }) {
    paid.push(amount);
    return `paid ${amount}`;
  },
});
const appraise = defineTool({
  name: 'appraise',
  description: 'Has something appraised by an expert',
  input: z.object({ item: z.string() }),
  external: true,
  permission: 'allow',
});
const agent = defineAgent({
  name: 'payer',
  model: 'openai/gpt-test',
  instructions: 'Be brief.',
  tools: [pay, appraise],
});

async function submit(text: string) {
  stack = await startStack({ agents: [agent] });
  const session = stack.session(agent);
  return { session, text };
}

describe('a confirmation', () => {
  it('may edit the arguments, which are validated again; the transcript keeps the proposal', async () => {
    const { session } = await submit('x');
    stack.model.calls('pay', { amount: 100 }).says('Done.');
    const turn = await session.submit('Pay 100');
    const callId = (await turn.result()).pending[0]?.callId ?? '';
    await expect(
      session.confirm([{ callId, decision: 'allow', input: { amount: -1 } }]),
    ).rejects.toMatchObject({
      code: 'unfit_answer',
      message: expect.stringContaining('amount') as string,
    });
    await session.confirm([{ callId, decision: 'allow', input: { amount: 80 } }]);
    await turn.result({ until: 'end' });
    expect(paid.at(-1)).toBe(80);
    const calls = (await session.messages()).items.flatMap(({ content }) =>
      content.filter((b) => b.type === 'tool_call'),
    );
    expect(calls[0]).toMatchObject({ arguments: '{"amount":100}' });
  });

  it('may deny with a reason that the model reads', async () => {
    const { session } = await submit('x');
    stack.model.calls('pay', { amount: 5 }).says('Understood.');
    const turn = await session.submit('Pay 5');
    const callId = (await turn.result()).pending[0]?.callId ?? '';
    await session.confirm([{ callId, decision: 'deny', reason: 'not this month' }]);
    expect((await turn.result({ until: 'end' })).text).toBe('Understood.');
    expect(stack.model.requests[1]?.results()[0]?.text).toBe('pay was denied: not this month');
  });

  it('is refused with the reason when it is wrong, late or double, and changes nothing then', async () => {
    const { session } = await submit('x');
    stack.model.calls('pay', { amount: 5 }).says('Done.');
    const turn = await session.submit('Pay 5');
    const callId = (await turn.result()).pending[0]?.callId ?? '';
    await expect(session.confirm([{ callId: 'call_none', decision: 'allow' }])).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(session.submitExternalResults([{ callId, state: 'success', content: 'x' }])).rejects.toThrow(
      /only while it is submitted/,
    );
    await expect(session.reconcile([{ callId, outcome: 'happened', reason: '' }])).rejects.toThrow(
      /needs a reason/,
    );
    await session.confirm([{ callId, decision: 'allow' }]);
    await turn.result({ until: 'end' });
    await expect(session.confirm([{ callId, decision: 'deny' }])).rejects.toMatchObject({ code: 'conflict' });
  });

  it('reaches the turn as a plain signal to the turn or to its session, and a bad one does no harm', async () => {
    const { session } = await submit('x');
    stack.model
      .calls([
        ['pay', { amount: 1 }],
        ['pay', { amount: 2 }],
      ])
      .says('Done.');
    const turn = await session.submit('Pay both');
    const first = (await turn.result()).pending[0]?.callId ?? '';
    const { workflow } = new Client({ connection: stack.connection });
    const handle = workflow.getHandle(turn.id);
    for (const junk of [
      undefined,
      null,
      7,
      {},
      { results: 'x' },
      { results: [null, { callId: 1 }, { callId: first }] },
      { results: [{ callId: first, decision: 'allow', inputs: { amount: 0 } }] },
    ])
      await handle.signal('confirm', junk);
    await handle.signal(confirmSignal, { results: [{ callId: first, decision: 'allow' }] });

    const second = await waitForAsking(() => handle.query(turnQuery), first);
    await workflow
      .getHandle(sessionWorkflowId({ owner: session.owner, sessionId: session.id }))
      .signal(confirmSignal, { results: [{ callId: second, decision: 'allow' }] });
    expect((await turn.result({ until: 'end' })).text).toBe('Done.');
    expect(paid.slice(-2)).toEqual([1, 2]);
  });
});

describe('an external tool', () => {
  it('suspends the turn until its result is submitted, once', async () => {
    const { session } = await submit('x');
    stack.model
      .calls([
        ['appraise', { item: 'ring' }],
        ['appraise', { item: 'watch' }],
      ])
      .says('Appraised.');
    const turn = await session.submit('Appraise both');
    const waiting = await turn.result();
    expect(waiting.finishReason).toBe('tool_suspended');
    const [ring] = waiting.pending;
    await session.submitExternalResults([
      { callId: ring?.callId ?? '', state: 'success', content: 'worth 5' },
    ]);
    const pending = (await session.get())?.pending ?? [];
    expect(pending.map(({ arguments: args }) => args)).toEqual(['{"item":"watch"}']);
    await session.submitExternalResults([
      { callId: pending[0]?.callId ?? '', state: 'error', content: 'expert is ill' },
    ]);
    await turn.result({ until: 'end' });
    expect(stack.model.requests[1]?.results().map(({ text }) => text)).toEqual(['worth 5', 'expert is ill']);
    expect(foldEvents(await readEvents(turn.events()))).toEqual((await session.messages()).items);
  });
});

describe('an external tool that asks', () => {
  it('is confirmed first and then waits for its system; a result that comes too late is refused', async () => {
    const ship = defineTool({
      name: 'ship',
      description: 'Ships a parcel',
      input: z.object({}),
      external: true,
      permission: 'ask',
    });
    const shipper = defineAgent({
      name: 'shipper',
      model: 'openai/gpt-test',
      instructions: 'x',
      tools: [ship],
    });
    stack = await startStack({ agents: [shipper] });
    stack.model.calls('ship', {});
    const session = stack.session(shipper);
    const turn = await session.submit('Ship it');
    const callId = (await turn.result()).pending[0]?.callId ?? '';
    await expect(session.submitExternalResults([{ callId, state: 'success', content: 'x' }])).rejects.toThrow(
      /is asking/,
    );
    await session.confirm([{ callId, decision: 'allow' }]);
    expect((await session.get())?.pending).toMatchObject([{ callId, state: 'submitted' }]);
    await session.interrupt();
    await turn.result({ until: 'end' });
    await expect(
      session.submitExternalResults([{ callId, state: 'success', content: 'shipped' }]),
    ).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('runs', () => {
  it('end at a gate and begin again with the answer, in events', async () => {
    const { session } = await submit('x');
    stack.model.calls('pay', { amount: 3 }).says('Done.');
    const turn = await session.submit('Pay 3');
    const callId = (await turn.result()).pending[0]?.callId ?? '';
    await session.confirm([{ callId, decision: 'allow' }], { actor: 'ann' });
    await turn.result({ until: 'end' });
    const events = await readEvents(turn.events());
    const story = events.flatMap((event) => {
      if (event.kind === 'run_start') return `run ${event.run}`;
      if (event.kind === 'run_end') return `end ${event.run}: ${event.reason}`;
      if (event.kind === 'require_user_confirm') return 'asks';
      return event.kind === 'gate_answered' ? `${event.answer} by ${event.actor}` : [];
    });
    expect(story).toEqual([
      'run 1',
      'asks',
      'end 1: permission_asking',
      'allow by ann',
      'run 2',
      'end 2: model_stop',
    ]);
    expect((await session.turns()).items[0]).toMatchObject({ run: 2 });
  });
});

/** The next call that asks, once the given one has its answer: each query waits for the workflow's next state. */
async function waitForAsking(
  query: () => Promise<{ calls: { callId: string; state: string }[] }>,
  answered: string,
): Promise<string> {
  for (;;) {
    const { calls } = await query();
    const isSettled = calls.some(({ callId, state }) => callId === answered && state === 'success');
    const next = calls.find(({ callId, state }) => callId !== answered && state === 'asking');
    if (isSettled && next) return next.callId;
  }
}
