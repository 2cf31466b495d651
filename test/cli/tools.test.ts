import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { listTools } from '../../src/cli/list-tools.ts';
import type { ToolSource } from '../../src/tools/tool-source.ts';
import { testScope } from '../support/worker-scope.ts';
import { runCli } from './cli-process.ts';
import { aProject, type Project } from './project.ts';

const index = new URL('../../src/index.ts', import.meta.url).href;

let project: Project;
beforeAll(async () => {
  project = await aProject();
  await project.write(
    'durascope.config.ts',
    `import { defineAgent, defineConfig, defineTool, loadSkills, skills } from '${index}';
     const tool = (name: string, more = {}) => defineTool({ name, description: 'Does ' + name, input: { type: 'object' as const }, execute: () => '', ...more });
     const clerk = defineAgent({
       name: 'clerk', model: 'openai/gpt-test', instructions: 'Be brief.',
       tools: [tool('look', { readOnly: true }), tool('pay')],
       toolGroups: { mail: { description: 'Mail', tools: [tool('send')] } },
       sources: [
         skills(loadSkills(import.meta.dirname + '/skills')),
         { name: 'broken', load: async () => { throw new Error('nobody answers'); } },
       ],
       permissions: { deny: ['pay(amount=1)'] },
     });
     export default defineConfig({ agents: [clerk] });`,
  );
  await project.write(
    'skills/forms/SKILL.md',
    '---\nname: forms\ndescription: How to fill forms\n---\nRead.',
  );
  await project.write('skills/forms/list.md', 'All');
});
afterAll(() => project.remove());

const cli = (...args: string[]) => runCli(args, { cwd: project.folder });

describe('durascope tools', () => {
  it('lists an agent’s tools with group, source and permission, and sources that have none', async () => {
    const { stdout, stderr, code } = await cli('tools', 'clerk');
    expect(code).toBe(0);
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/).slice(0, 4))).toMatchObject([
      ['TOOL', 'GROUP', 'SOURCE', 'PERMISSION'],
      ['look', 'basic', 'agent', 'reads only: passes'],
      ['pay', 'basic', 'agent', 'deny pay(amount=1), as it says of each call, else asks'],
      ['skill', 'basic', 'skills', 'reads only: passes'],
      ['send', 'mail', 'agent', 'as it says of each call, else asks'],
      [''],
    ]);
    expect(stderr).toContain('broken has no tools now: nobody answers');
    expect(existsSync(join(project.folder, '.durascope'))).toBe(false);
  });

  it('does not wait for ever for a source that never answers', async () => {
    vi.useFakeTimers();
    const mute: ToolSource = { name: 'mute', load: () => new Promise(() => {}) };
    const agent = defineAgent({
      name: 'clerk',
      model: 'openai/gpt-test',
      instructions: 'Be brief.',
      sources: [mute],
    });
    const listing = listTools(agent, 'acme', testScope());
    await vi.advanceTimersByTimeAsync(10_000);
    vi.useRealTimers();
    expect(await listing).toEqual({
      tools: [],
      missing: [{ source: 'mute', why: 'it did not answer within 10 s' }],
    });
  });

  it('says which agents there are, when the name is none', async () => {
    const { code, stderr } = await cli('tools', 'clrk', '--json');
    expect(code).not.toBe(0);
    expect(stderr).toContain('Did you mean clerk?');
  });
});

describe('durascope skills', () => {
  it('lists the skills of a folder, and says what is broken', async () => {
    expect(JSON.parse((await cli('skills', '--json')).stdout)).toMatchObject({
      skills: [{ name: 'forms', description: 'How to fill forms', files: ['list.md'] }],
    });
    await project.write('bad/wrong/SKILL.md', 'no front matter');
    const { code, stderr } = await cli('skills', 'bad');
    expect(code).not.toBe(0);
    expect(stderr).toContain('begin it with front matter');
  });
});
