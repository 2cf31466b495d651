import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { foldEvents } from '../../src/core/fold-events.ts';
import type { AgentEvent } from '../../src/schema/event.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { startStack, type Stack } from '../support/stack.ts';

const lookup = defineTool({
  name: 'lookup',
  description: 'Looks up a word',
  input: z.object({ word: z.string() }),
  readOnly: true,
  execute: async ({ word }) => `meaning of ${word}`,
});
const refund = defineTool({
  name: 'refund',
  description: 'Refunds an order',
  input: z.object({ orderId: z.string() }),
  permission: 'ask',
  idempotent: true,
  execute: async ({ orderId }) => `refunded ${orderId}`,
});
const agent = defineAgent({
  name: 'support',
  model: 'openai/gpt-test',
  instructions: 'Be brief.',
  tools: [lookup, refund],
  maxIterations: 4,
});

let stack: Stack;
afterEach(() => stack.stop());

async function eventsOf(turn: { events(): AsyncIterable<AgentEvent> }): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of turn.events()) events.push(event);
  return events;
}

describe('a turn', () => {
  it('runs tools side by side, answers, and tells it all in events', async () => {
    stack = await startStack({ agents: [agent] });
    stack.model
      .calls([
        ['lookup', { word: 'a' }],
        ['lookup', { word: 'b' }],
      ])
      .says('Both found.');
    const session = stack.session(agent);
    const turn = await session.submit('Look up a and b');
    const events = await eventsOf(turn);
    const reply = await turn.result();

    expect(reply).toMatchObject({ finishReason: 'model_stop', text: 'Both found.', pending: [] });
    const { items } = await session.messages();
    expect(items.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'assistant']);
    expect(foldEvents(events)).toEqual(items);
    expect(events.map(({ kind }) => kind)).toContain('turn_end');
    stack.model.assertDone();
  });

  it('waits for a confirmation and goes on from the same call', async () => {
    stack = await startStack({ agents: [agent] });
    stack.model.calls('refund', { orderId: '1001' }).says('Done.');
    const session = stack.session(agent);
    const turn = await session.submit('Refund 1001');
    const waiting = await turn.result();
    expect(waiting.finishReason).toBe('permission_asking');
    expect((await session.get())?.state).toBe('waiting');

    const [call] = waiting.pending;
    await session.confirm([{ callId: call?.callId ?? '', decision: 'allow' }], { actor: 'ann' });
    const reply = await turn.result({ until: 'end' });
    expect(reply.text).toBe('Done.');
    expect(stack.model.requests[1]?.messages.at(-1)?.text).toBe('refunded 1001');
  });
});
