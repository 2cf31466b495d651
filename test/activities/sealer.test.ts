import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { judge } from '../../src/activities/judge.ts';
import { Sealer } from '../../src/activities/sealer.ts';
import { defineAgent } from '../../src/agents/define-agent.ts';
import type { EventBody } from '../../src/schema/event.ts';
import { defineTool } from '../../src/tools/define-tool.ts';

const send = defineTool({
  name: 'send_mail',
  description: 'Sends a mail',
  input: z.object({ to: z.string(), key: z.string() }),
  secrets: ['key'],
  execute: () => 'sent',
});
const look = defineTool({
  name: 'look',
  description: 'Looks something up',
  input: z.object({ to: z.string(), key: z.string() }),
  execute: () => 'found',
});
const agentWith = (...tools: (typeof send)[]) =>
  defineAgent({ name: 'a', model: 'openai/gpt-test', instructions: 'x', tools });

function seen(agent: ReturnType<typeof agentWith>, name: string): string {
  const at = { messageId: 'm1', callId: 'c1' };
  const events: EventBody[] = [
    { kind: 'tool_call_start', ...at, name },
    { kind: 'tool_call_delta', ...at, delta: '{"to":"ann",' },
    { kind: 'tool_call_delta', ...at, delta: '"key":"hunter2"}' },
    { kind: 'tool_call_end', ...at },
  ];
  return new Sealer(agent)
    .pass(events)
    .map((event) => (event.kind === 'tool_call_delta' ? event.delta : ''))
    .join('');
}

describe('Sealer', () => {
  it('takes away the fields that a tool declares secret', () => {
    expect(seen(agentWith(send, look), 'send_mail')).toBe('{"to":"ann","key":"[secret]"}');
    expect(seen(agentWith(send, look), 'look')).toBe('{"to":"ann","key":"hunter2"}');
  });

  it('takes away all arguments of a call to a tool that does not exist, where another has secrets', () => {
    for (const name of ['send_mial', 'sendmail', 'something_else'])
      expect(seen(agentWith(send, look), name)).toBe('"[secret]"');
    expect(seen(agentWith(look), 'send_mial')).toBe('{"to":"ann","key":"hunter2"}');
  });
});

describe('judge', () => {
  it('says so where a rule was meant to help and can not be read', async () => {
    const session = { ref: { owner: 'o', sessionId: 's' } };
    const rule = {
      tool: 'look',
      pattern: 'just ann',
      behavior: 'allow' as const,
      source: 'session' as const,
    };
    const policy = { mode: 'default' as const, rules: [rule] };
    const decision = await judge(agentWith(look), look, { to: 'ann', key: 'k' }, session, policy);
    expect(decision.behavior).toBe('ask');
    expect(decision.reason).toContain('the rule look(just ann) would allow nothing');
  });
});
