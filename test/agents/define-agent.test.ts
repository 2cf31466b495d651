import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { bubblewrapBackend, type BubblewrapBackendOptions } from '../../src/workspace/bubblewrap-backend.ts';
import { workspace, type WorkspaceOptions } from '../../src/workspace/workspace-source.ts';
import { defineAgent, type AgentOptions } from '../../src/agents/define-agent.ts';
import { defaultTimeouts, type ModelSettings, type ModelTimeouts } from '../../src/model/model.ts';
import type { ModelSettings as ModelSettingsSchema, PartialModelTimeouts } from '../../src/schema/agent.ts';
import { DefinitionError } from '../../src/tools/definition-error.ts';
import { mcpServer } from '../../src/mcp/mcp-source.ts';
import type { McpServerOptions } from '../../src/mcp/server.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { aTool } from '../tools/a-tool.ts';

const refund = defineTool({
  name: 'refund_order',
  description: 'Refund an order',
  input: z.object({ orderId: z.string() }),
  execute: () => 'ok',
});
const support: AgentOptions = {
  name: 'support',
  model: 'openai/gpt-5-mini',
  instructions: 'You help with orders.',
  tools: [refund],
};

function errorOf(options: object): DefinitionError {
  try {
    defineAgent(options as AgentOptions);
  } catch (error) {
    if (error instanceof DefinitionError) return error;
    throw error;
  }
  throw new Error('the definition was accepted');
}

describe('defineAgent', () => {
  it('refuses an allow rule whose pattern its tool can not read, and says what to write', () => {
    const allow = ['refund_order(orderId=1)', 'refund_order(order 1)'];
    expect(errorOf({ ...support, permissions: { allow } }).message).toContain(
      'permissions.allow[1]: the rule refund_order(order 1) would allow nothing: refund_order reads no patterns of its own (matchRule), so write path=value',
    );
    const reads = defineTool({
      name: 'reads',
      description: 'Reads patterns',
      input: z.object({}),
      matchRule: () => true,
      execute: () => 'ok',
    });
    const taken = defineAgent({
      ...support,
      tools: [refund, reads],
      permissions: { allow: ['reads(any thing)', 'refund_order'], deny: ['refund_order(order 1)'] },
    });
    expect(taken.permissions.rules).toHaveLength(3);
  });

  it('fills in what was left out', () => {
    expect(defineAgent({ name: 'a', model: 'openai/gpt-5', instructions: 'Help.' })).toMatchObject({
      tools: [],
      maxIterations: 10,
      maxModelAttempts: 5,
      isStreaming: true,
      settings: {},
      timeouts: defaultTimeouts,
    });
  });

  it('keeps what was given', () => {
    const agent = defineAgent({
      ...support,
      description: 'Orders',
      contextTokens: 8_000,
      stream: false,
      timeouts: { idleMs: 5 },
      settings: { temperature: 0, reasoningEffort: 'high', extra: { user: 'a' } },
    });
    expect(agent).toMatchObject({ description: 'Orders', contextTokens: 8_000, isStreaming: false });
    expect(agent.timeouts).toEqual({ ...defaultTimeouts, idleMs: 5 });
    expect(agent.settings).toEqual({ temperature: 0, reasoningEffort: 'high', extra: { user: 'a' } });
    expect(agent.toolByName.get('refund_order')).toBe(refund);
  });

  it('is frozen', () => {
    const agent = defineAgent(support);
    for (const part of [agent, agent.tools, agent.settings, agent.timeouts])
      expect(Object.isFrozen(part)).toBe(true);
  });

  it('takes a tool that was made by hand like any other', () => {
    const tool = aTool({ name: 'by_hand' });
    expect(defineAgent({ ...support, tools: [refund, tool] }).toolByName.get('by_hand')).toBe(tool);
  });

  it('takes undefined for left out', () => {
    expect(
      defineAgent({ ...support, maxIterations: undefined } as object as AgentOptions).maxIterations,
    ).toBe(10);
  });

  it('takes the settings that the model port knows, and no others', () => {
    expectTypeOf<z.infer<typeof ModelSettingsSchema>>().toEqualTypeOf<ModelSettings>();
    expectTypeOf<z.infer<typeof PartialModelTimeouts>>().toEqualTypeOf<Partial<ModelTimeouts>>();
  });
});

describe('the revision of an agent', () => {
  const revision = (changes: Partial<AgentOptions> = {}) => defineAgent({ ...support, ...changes }).revision;

  it('is the same for the same definition, however it is ordered', () => {
    expect(revision()).toMatch(/^[0-9a-f]{12}$/);
    const extra = (values: Record<string, string>) => revision({ settings: { extra: values } });
    expect(extra({ user: 'a', tier: 'b' })).toBe(extra({ tier: 'b', user: 'a' }));
    expect(revision({ maxIterations: 10 })).toBe(revision());
  });

  it.each<[string, Partial<AgentOptions>]>([
    ['instructions', { instructions: 'You help with refunds.' }],
    ['the source of an instructions function', { instructions: () => 'You help with orders.' }],
    ['the model', { model: 'openai/gpt-5' }],
    ['settings', { settings: { temperature: 0 } }],
    ['limits', { maxIterations: 11 }],
    ['time limits', { timeouts: { totalMs: 1 } }],
    ['the set of tools', { tools: [] }],
    ['its sources', { sources: [mcpServer({ name: 'files', command: 'serve' })] }],
    ['the description of a tool', { tools: [{ ...refund, description: 'Refund' }] }],
    ['the schema of a tool', { tools: [{ ...refund, parameters: { type: 'object' } }] }],
  ])('changes with %s', (_, changes) => {
    expect(revision(changes)).not.toBe(revision());
  });
});

describe('the revision of an agent with an MCP server', () => {
  const revision = (options: Partial<McpServerOptions>) =>
    defineAgent({ ...support, sources: [mcpServer({ name: 'files', command: 'serve', ...options })] })
      .revision;

  it.each<[string, Partial<McpServerOptions>]>([
    ['its command', { command: 'other' }],
    ['its arguments', { args: ['--all'] }],
    ['what is taken of it', { deny: ['drop'] }],
    ['trust in it', { trust: true }],
    ['the names of its variables', { env: { TOKEN: 'a' } }],
  ])('changes with %s', (_, changes) => {
    expect(revision(changes)).not.toBe(revision({}));
  });

  it('says nothing of its secrets', () => {
    expect(revision({ env: { TOKEN: 'a' } })).toBe(revision({ env: { TOKEN: 'b' } }));
  });
});

describe('an invalid agent', () => {
  it.each([
    ['name', { name: 'customer support' }, 'letters, digits'],
    ['name', { name: undefined }, "such as 'support'"],
    ['instructions', { instructions: '' }, 'who it is'],
    ['model', { model: 'gpt-5' }, 'openai/gpt-5-mini'],
    ['model', { model: undefined }, 'provider/name'],
    ['maxIterations', { maxIterations: 0 }, 'at least 1'],
    ['maxIterations', { maxIterations: 1.5 }, 'whole number'],
    ['settings.temperature', { settings: { temperature: 'hot' } }, 'write a number'],
    ['settings.temprature', { settings: { temprature: 1 } }, 'Did you mean temperature?'],
    ['timeouts.idle', { timeouts: { idle: 1 } }, 'Did you mean idleMs?'],
    ['timeouts.idleMs', { timeouts: { idleMs: 0 } }, 'at least 1 ms'],
    ['maxIteration', { maxIteration: 3 }, 'Did you mean maxIterations?'],
    ['instruction', { instruction: 'Help.' }, 'Did you mean instructions?'],
    ['tools', { tools: refund }, 'write an array'],
    ['tools[1]', { tools: [refund, undefined] }, 'it is undefined, not a tool'],
    ['tools[0]', { tools: [{ name: 'a', description: 'b', input: {} }] }, 'as in defineTool({ … })'],
    ['tools[0].validate', { tools: [aTool({ validate: undefined as never })] }, 'expected a function'],
    ['tools[0].parameters', { tools: [aTool({ parameters: { type: 'string' } })] }, "type: 'object'"],
  ])('names the field %s and the remedy', (field, changes, remedy) => {
    const error = errorOf({ ...support, ...changes });
    expect(error.field).toBe(field);
    expect(error.message).toContain(remedy);
    expect(error.message).toContain('Invalid agent');
  });

  it('has two tools of one name, and is told which', () => {
    const other = aTool({ description: 'Refund by voucher' });
    const { field, message } = errorOf({ ...support, tools: [refund, aTool({ name: 'stock' }), other] });
    expect(field).toBe('tools[2].name');
    expect(message).toContain('tools[0] ("Refund an order") and tools[2] ("Refund by voucher")');
  });

  it('is told of all its faults at once', () => {
    const { message } = errorOf({ ...support, model: 'x', maxIterations: -1 });
    expect(message).toContain('provider/name');
    expect(message).toContain('maxIterations: write at least 1');
  });
});

describe('the revision of an agent with a workspace', () => {
  const revision = (options: Partial<BubblewrapBackendOptions>, more: Partial<WorkspaceOptions> = {}) => {
    const backend = bubblewrapBackend({ root: '/srv/a', ...options });
    return defineAgent({ ...support, sources: [workspace({ backend, ...more })] }).revision;
  };

  it.each<[Partial<BubblewrapBackendOptions>, Partial<WorkspaceOptions>?]>([
    [{ root: '/srv/b' }],
    [{ network: 'host' }],
    [{ env: { TOKEN: 'a' } }],
    [{}, { snapshots: { maxFiles: 1 } }],
    [{}, { paths: { systemDirectories: [] } }],
  ])('changes with %j %j', (options, more) => {
    expect(revision(options, more)).not.toBe(revision({}));
  });

  it('does not say which secrets its commands get', () => {
    expect(revision({ env: { TOKEN: 'a' } })).toBe(revision({ env: { TOKEN: 'b' } }));
  });
});
