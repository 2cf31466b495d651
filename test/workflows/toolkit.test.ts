import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { calls, fails, says } from '../../src/testing/index.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import type { ToolSource } from '../../src/tools/tool-source.ts';
import { startStack, type Stack } from '../support/stack.ts';

const reads = (name: string, answer: string) =>
  defineTool({
    name,
    description: `Reads ${name.replaceAll('_', ' ')}`,
    input: z.object({}),
    readOnly: true,
    execute: () => answer,
  });
const long = Array.from({ length: 20_000 }, (_, i) => `line ${i}`).join('\n');

const grouped = defineAgent({
  name: 'grouped',
  model: 'openai/gpt-test',
  instructions: 'Be brief.',
  tools: [reads('clock', 'noon')],
  toolGroups: {
    mail: {
      description: 'Reads and sends mail',
      instructions: 'Quote nothing.',
      tools: [reads('read_mail', 'one mail')],
    },
    files: { description: 'Reads files', tools: [reads('read_file', long)] },
  },
  maxResultTokens: 1000,
});
const catalog: ToolSource = {
  name: 'catalog',
  load: async () => ({
    tools: Array.from({ length: 1000 }, (_, i) => reads(`item_${i}_price`, `${i} euros`)),
  }),
};
const crowded = defineAgent({
  name: 'crowded',
  model: 'openai/gpt-test',
  instructions: 'Be brief.',
  tools: [reads('clock', 'noon')],
  sources: [catalog],
});

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ agents: [grouped, crowded], sessionLingerMs: 1 });
});
afterEach(() => stack.model.assertDone());
afterAll(() => stack.stop());

async function ask(agent: typeof grouped, id: string, text = 'Go') {
  const before = stack.model.requests.length;
  const session = stack.session(agent, id);
  const reply = await (await session.submit(text)).result();
  return { session, reply, asked: stack.model.requests.slice(before) };
}

describe('tool groups', () => {
  it('come with their instructions when the model activates them, and stay in later turns', async () => {
    stack.model
      .calls('reset_tools', { groups: ['mail'] })
      .calls('read_mail', {})
      .says('One mail.');
    const { asked } = await ask(grouped, 'mail');
    expect(asked.map(({ tools }) => tools)).toEqual([
      ['clock', 'reset_tools'],
      ['clock', 'reset_tools', 'read_mail'],
      ['clock', 'reset_tools', 'read_mail'],
    ]);
    expect(asked[1]?.results('reset_tools')[0]?.text).toContain('Quote nothing.');
    expect(asked[2]?.results('read_mail')[0]?.text).toBe('one mail');

    stack.model.says('Still here.');
    expect((await ask(grouped, 'mail')).asked[0]?.tools).toContain('read_mail');
  });

  it('are set as a whole: what is not named is off again', async () => {
    stack.model
      .calls('reset_tools', { groups: ['mail'] })
      .calls('reset_tools', { groups: ['files'] })
      .calls('reset_tools', { groups: [] })
      .says('Done.');
    const { asked } = await ask(grouped, 'absolute');
    expect(asked.map(({ tools }) => tools.slice(2))).toEqual([[], ['read_mail'], ['read_file'], []]);
  });

  it('stay as they are when one is unknown', async () => {
    stack.model
      .calls('reset_tools', { groups: ['mail'] })
      .calls('reset_tools', { groups: ['files', 'mails'] })
      .says('Oops.');
    const { asked } = await ask(grouped, 'unknown');
    expect(asked[2]?.results('reset_tools')[1]?.text).toContain(
      'there is no group "mails". Did you mean mail?',
    );
    expect(asked[2]?.tools).toContain('read_mail');
    expect(asked[2]?.tools).not.toContain('read_file');
  });

  it('tell the model how to activate the tool that it called', async () => {
    stack.model.calls('read_mail', {}).calls('read_mial', {}).says('I see.');
    const { asked } = await ask(grouped, 'inactive');
    expect(asked[1]?.messages.at(-1)?.text).toContain('belongs to the group mail, which is not active');
    expect(asked[2]?.messages.at(-1)?.text).toContain(
      'The tools are: clock, reset_tools. Others come with a group (mail, files)',
    );
  });
});

describe('a long result', () => {
  it('is kept whole, shown in part, and read on with read_result', async () => {
    stack.model.calls('reset_tools', { groups: ['files'] }).calls('read_file', {});
    const callId = /read_result\(\{"callId": "(\w+)", "offset": (\d+)/;
    stack.model.answers((request) => {
      const shown = request.results('read_file')[0]?.text ?? '';
      const [, id, offset] = callId.exec(shown) ?? [];
      if (request.results('read_result').length > 0) return says('All read.');
      return calls('read_result', { callId: id ?? '', offset: Number(offset), length: 100 });
    });
    const { asked, session } = await ask(grouped, 'long');
    expect(asked.at(-2)?.results('read_file')[0]?.text.length).toBeLessThan(5000);
    expect(asked.at(-2)?.tools).toContain('read_result');
    expect(asked.at(-3)?.tools).not.toContain('read_result');
    expect(asked.at(-1)?.results('read_result')[0]?.text.startsWith(long.slice(4000, 4100))).toBe(true);
    const { items } = await session.messages();
    expect(JSON.stringify(items)).toContain('line 19999');
    stack.model.answers(() => fails(500));
  });
});

describe('too many tools', () => {
  it('are not shown, but found, and can then be called', async () => {
    stack.model
      .calls('tool_search', { query: 'price of item 777' })
      .calls('item_777_price', {})
      .says('777 euros.');
    const { asked } = await ask(crowded, 'find');
    expect(asked[0]?.tools).toEqual(['clock', 'tool_search']);
    expect(asked[1]?.results('tool_search')[0]?.text).toContain('- item_777_price: Reads item 777 price');
    expect(asked[1]?.tools).toContain('item_777_price');
    expect(asked[1]?.tools.length).toBeLessThan(10);
    expect(asked[2]?.results('item_777_price')[0]?.text).toBe('777 euros');
  });
});
