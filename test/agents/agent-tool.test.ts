import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createAgentRegistry } from '../../src/agents/agent-registry.ts';
import { agentTool, type AgentToolOptions } from '../../src/agents/agent-tool.ts';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { defineConfig } from '../../src/agents/define-config.ts';
import type { Tool } from '../../src/tools/tool.ts';

const plain = { model: 'openai/m', instructions: 'You work.' };
const agent = (name: string, ...tools: Tool[]) => defineAgent({ ...plain, name, tools });

describe('agentTool', () => {
  it('is named and described by its agent', () => {
    const researcher = defineAgent({
      name: 'team/researcher'.replace('/', '.'),
      description: 'Finds things out',
      model: 'openai/m',
      instructions: 'Search.',
    });
    expect(agentTool(researcher)).toMatchObject({ name: 'team_researcher', description: 'Finds things out' });
    expect(agentTool('writer').description).toContain('writer');
  });

  it('lets the model choose the background only where it may', () => {
    const shown = (options: AgentToolOptions) =>
      Object.keys(agentTool('a', options).parameters['properties']!);
    expect(shown({})).toEqual(['prompt']);
    expect(shown({ mode: 'model decides' })).toEqual(['prompt', 'background']);
  });

  it('passes without a question, unless its author says otherwise', async () => {
    expect(agentTool('a').isReadOnly({ prompt: 'x' })).toBe(true);
    const asking = agentTool('a', { permission: 'ask' });
    expect(asking.isReadOnly({ prompt: 'x' })).toBe(false);
    expect(await asking.checkPermission({ prompt: 'x' }, { owner: 'o', sessionId: 's' })).toMatchObject({
      behavior: 'ask',
    });
  });

  it('keeps the form of the answer', () => {
    const tool = agentTool('a', { output: z.object({ sources: z.array(z.string()) }) });
    expect(tool.subagent?.output?.parameters).toMatchObject({ required: ['sources'] });
  });

  it.each<[AgentToolOptions, string]>([
    [{ mode: 'sometimes' as never }, "write 'blocking', 'background' or 'model decides'"],
    [{ context: { lastMessages: 0 } }, 'context.lastMessages'],
    [{ limits: { depth: 0 } }, 'limits.depth'],
    [{ limits: { breath: 3 } as never }, 'breadth'],
    [{ backgroundAfterMs: 0.5 }, 'backgroundAfterMs'],
    [{ name: 'a b' }, 'write a_b'],
  ])('refuses %j, and says what to write', (options, message) => {
    expect(() => agentTool('a', options)).toThrow(message);
  });
});

describe('the agents of a worker', () => {
  it('are those given, and those that are tools of them', () => {
    const leaf = agent('leaf');
    const middle = agent('middle', agentTool(leaf));
    const names = createAgentRegistry([agent('top', agentTool(middle), agentTool(leaf))]).list();
    expect(names.map(({ name }) => name)).toEqual(['top', 'middle', 'leaf']);
  });

  it('are refused when they call each other in a circle, with its path', () => {
    const a = agent('a', agentTool('b'));
    const b = agent('b', agentTool('c'));
    const c = agent('c', agentTool('b'));
    expect(() => createAgentRegistry([a, b, c])).toThrow('in a circle: b → c → b.');
    expect(() => createAgentRegistry([agent('self', agentTool('self'))])).toThrow('self → self');
  });

  it('are refused when they create each other in a circle, through templates of their teams too', () => {
    const worker = agent('worker', agentTool('chief'));
    const part = defineAgent({ ...plain, name: 'part', team: { templates: [worker] } });
    const chief = defineAgent({ ...plain, name: 'chief', team: { templates: [part] } });
    expect(() => createAgentRegistry([chief])).toThrow('chief → part → worker → chief');
    const bounded = agent('worker', agentTool('chief', { limits: { depth: 3 } }));
    const fine = defineAgent({ ...plain, name: 'chief', team: { templates: [bounded] } });
    expect(createAgentRegistry([fine]).list()).toHaveLength(2);
  });

  it('are all there: a tool that names no agent is refused, with the names that are near', () => {
    const lead = agent('lead', agentTool('reserch', { name: 'find' }));
    expect(() => defineConfig({ agents: [lead, agent('research')] })).toThrow(
      /agent "lead".*tools\.find.*there is no agent reserch\. Did you mean research\?/s,
    );
  });

  it('may call each other where somebody says how deep', () => {
    const a = agent('a', agentTool('b'));
    const b = agent('b', agentTool('a', { limits: { depth: 3 } }));
    expect(createAgentRegistry([a, b]).list()).toHaveLength(2);
  });

  it('have names of their own', () => {
    expect(() => createAgentRegistry([agent('a', agentTool(agent('b'))), agent('b')])).toThrow(
      'both named b',
    );
  });
});
