import { mkdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { judge } from '../../src/activities/judge.ts';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { parseRule } from '../../src/core/permission-rule.ts';
import { AWorkspace } from './a-workspace.ts';

let at: AWorkspace;
beforeAll(async () => {
  at = await AWorkspace.open();
  for (const folder of ['src/deep', '.git', 'node_modules/lib'])
    await mkdir(join(at.root, folder), { recursive: true });
  await at.write('src/a.ts', 'const needle = 1;\nconst hay = 2;\nconst needle2 = needle;\n');
  await at.write('src/deep/b.ts', 'function first() {\n  return NEEDLE;\n}\n');
  await at.write('src/deep/c.md', '# no such thing\n');
  await at.write('-dash.txt', 'needle\n');
  await at.write('.env', 'TOKEN=needle\n');
  await at.write('.git/config', 'needle\n');
  await at.write('node_modules/lib/index.ts', 'needle\n');
  await at.write('.gitignore', 'node_modules\n');
  for (const [index, file] of ['src/a.ts', 'src/deep/b.ts'].entries())
    await utimes(join(at.root, file), 1000 + index, 1000 + index);
});
afterAll(() => at.close());

describe('glob', () => {
  it.each([
    ['**/*.ts', undefined, 'src/deep/b.ts\nsrc/a.ts'],
    ['*.ts', 'src', 'src/a.ts'],
    ['src/{a,x}.ts', undefined, 'src/a.ts'],
    ['node_modules/**/*.ts', undefined, 'node_modules/lib/index.ts'],
    ['**/*.py', undefined, 'No file matches **/*.py.'],
  ])('%s in %s', async (pattern, path, expected) => {
    expect((await at.call('glob', { pattern, ...(path ? { path } : {}) })).text).toBe(expected);
  });

  it('shows the bytes of names that are no UTF-8, and says how to reach them', async () => {
    const odd = Buffer.concat([Buffer.from(join(at.root, 'caf')), Buffer.from([0xe9]), Buffer.from('.odd')]);
    await writeFile(odd, 'x');
    expect((await at.call('glob', { pattern: '*.odd' })).text).toBe('caf\\xE9.odd');
    for (const [outputMode, found] of [
      ['files', 'caf\\xE9.odd'],
      ['count', 'caf\\xE9.odd: 1'],
      ['content', 'caf\\xE9.odd:1:x'],
    ])
      expect((await at.call('grep', { pattern: '^x$', glob: '*.odd', outputMode })).text).toBe(found);
    const { text } = await at.call('read', { path: 'caf\\xE9.odd' });
    expect(text).toContain('caf\\xE9.odd does not exist: where \\xE9 stands for a byte');
    await rm(odd);
  });

  it('stays in the workspace', async () => {
    expect((await at.call('glob', { pattern: '/etc/*' })).text).toBe('No file matches /etc/*.');
    expect((await at.call('glob', { pattern: '*', path: '/etc' })).state).toBe('error');
    expect((await at.call('glob', { pattern: '../**' })).text).not.toContain('..\n');
  });
});

describe('files that a rule denies to be read', () => {
  const denied = { deniedPatterns: ['SRC/deep/**'] };
  const note = '[Not searched, because rules deny it: SRC/deep/**.]';

  it('are found by no search, and nothing tells that there would be something', async () => {
    await symlink(join(at.root, 'src/deep/b.ts'), join(at.root, 'src/link.ts'));
    const glob = async (pattern: string) => (await at.call('glob', { pattern }, denied)).text;
    const grep = async (pattern: string) => (await at.call('grep', { pattern, path: 'src' }, denied)).text;
    expect(await glob('src/**/*.ts')).toBe(`src/a.ts\n${note}`);
    expect(await glob('**/*.md')).toBe(`No file matches **/*.md.\n${note}`);
    expect(await grep('const|NEEDLE')).toBe(`src/a.ts\n${note}`);
    expect(await grep('NEEDLE')).toBe(`Nothing matches NEEDLE.\n${note}`);
    await rm(join(at.root, 'src/link.ts'));
  });

  it.each([
    ['read', { path: 'src/deep/b.ts' }, 'deny'],
    ['grep', { pattern: 'x', path: 'src/deep' }, 'deny'],
    ['grep', { pattern: 'x', path: 'src' }, 'allow'],
    ['glob', { pattern: '*', path: 'src/../src/deep' }, 'deny'],
    ['edit', { path: 'src/deep/b.ts', oldText: 'a', newText: 'b' }, 'deny'],
    ['edit', { path: 'src/a.ts', oldText: 'a', newText: 'b' }, 'allow'],
    ['write', { path: 'src/deep/b.ts', content: 'x' }, 'allow'],
    ['bash', { command: 'cd src && head -n 1 < deep/b.ts' }, 'deny'],
    ['bash', { command: 'wc --files0-from=src/deep/b.ts' }, 'deny'],
    ['bash', { command: 'cat src/a.ts' }, 'allow'],
    ['bash', { command: 'echo src/deep/b.ts' }, 'allow'],
    ['bash', { command: 'cd s* && cat deep/b.ts' }, 'ask'],
    ['bash', { command: 'cd "$X"; cat b.ts' }, 'ask'],
    ['bash', { command: 'cat s*/deep/b.ts' }, 'ask'],
    ['bash', { command: 'cat lib/* sr*/a.ts' }, 'allow'],
    ['bash', { command: 'rg S' }, 'ask'],
    ['bash', { command: 'rg S lib' }, 'allow'],
    ['bash', { command: 'grep -r S .' }, 'ask'],
    ['bash', { command: 'cd lib && grep -r S' }, 'allow'],
    ['bash', { command: 'grep S -r' }, 'ask'],
    ['bash', { command: 'fgrep -r S' }, 'ask'],
    ['bash', { command: 'grep -r S lib' }, 'allow'],
    ['bash', { command: 'grep -re S src' }, 'ask'],
    ['bash', { command: 'rg S -g "*.ts"' }, 'ask'],
    ['bash', { command: 'ag S lib' }, 'ask'],
    ['bash', { command: 'git grep S' }, 'ask'],
    ['bash', { command: 'git show' }, 'ask'],
    ['bash', { command: 'git log -p' }, 'ask'],
    ['bash', { command: 'git log --oneline' }, 'allow'],
    ['bash', { command: 'cp -r src /tmp/x' }, 'ask'],
    ['bash', { command: 'ls src' }, 'allow'],
  ] as const)('hold %s with %j: %s', async (name, input, behavior) => {
    const agent = defineAgent({ name: 'a', model: 'openai/x', instructions: 'x', tools: [at.tool(name)] });
    const rules = [parseRule('read(src/deep/**)', 'deny')];
    const session = { ref: { owner: 'acme', sessionId: 's1' } };
    const decision = await judge(agent, at.tool(name), input, session, { mode: 'bypass', rules });
    expect(decision.behavior).toBe(behavior);
  });

  it.each([
    ['ask', 'read(src/deep)', 'grep', { pattern: 'x', path: 'src/deep/b.ts' }, 'ask'],
    ['ask', 'read(src/deep)', 'grep', { pattern: 'x' }, 'ask'],
    ['ask', 'read(src/deep)', 'grep', { pattern: 'x', path: 'lib' }, 'allow'],
    ['ask', 'read(src/deep)', 'bash', { command: 'cat src/deep/b.ts' }, 'ask'],
    ['ask', 'read(src/deep)', 'bash', { command: 'rg S' }, 'ask'],
    ['deny', 'read', 'grep', { pattern: 'x' }, 'allow'],
    ['deny', 'read(src/deep)', 'bash', { command: 'cat src/deep/b.ts' }, 'deny'],
    ['deny', 'read(src/deep/)', 'read', { path: 'src/deep/b.ts' }, 'deny'],
    ['deny', 'write(src/**)', 'bash', { command: 'cp x src/a' }, 'deny'],
    ['deny', 'edit(src)', 'bash', { command: 'echo x > src/a' }, 'deny'],
    ['deny', 'write(src)', 'bash', { command: 'sed -i s/a/b/ src/a.ts' }, 'deny'],
    ['deny', 'write(src)', 'bash', { command: 'cd src && touch a' }, 'deny'],
    ['deny', 'write(src)', 'bash', { command: 'sort -o src/a x' }, 'deny'],
    ['deny', 'write(src)', 'bash', { command: 'rm s*/a' }, 'ask'],
    ['deny', 'write(src)', 'bash', { command: 'cd "$X" && touch a' }, 'ask'],
    ['deny', 'write(src)', 'bash', { command: 'dd if=x of=src/a' }, 'ask'],
    ['deny', 'write(src/deep)', 'bash', { command: 'rm -r src' }, 'ask'],
    ['deny', 'write(src/deep)', 'bash', { command: 'mv src lib' }, 'ask'],
    ['deny', 'write(src)', 'bash', { command: 'cp src/a.ts lib/a.ts' }, 'allow'],
    ['deny', 'write(src)', 'bash', { command: 'mv a . && cat src/a.ts' }, 'allow'],
  ] as const)('%s %s: %s with %j: %s', async (behavior, rule, name, input, expected) => {
    const agent = defineAgent({ name: 'a', model: 'openai/x', instructions: 'x', tools: [at.tool(name)] });
    const rules = [parseRule(rule, behavior), parseRule(name, 'allow')];
    const session = { ref: { owner: 'acme', sessionId: 's1' } };
    const decision = await judge(agent, at.tool(name), input, session, { mode: 'bypass', rules });
    expect(decision.behavior).toBe(expected);
  });
});

describe('grep', () => {
  const grep = async (search: Record<string, unknown>) => (await at.call('grep', search)).text;
  const secretNote = '[Left out, because they may hold secrets: .env.]';

  it('lists files, without ignored ones and without secrets', async () => {
    expect(await grep({ pattern: 'needle' })).toBe(`-dash.txt\nsrc/a.ts\n${secretNote}`);
    expect(await grep({ pattern: 'needle', path: '.env' })).toBe('.env');
  });

  it('shows lines, with some around them', async () => {
    expect(await grep({ pattern: 'needle2', outputMode: 'content', path: 'src' })).toBe(
      'src/a.ts:3:const needle2 = needle;',
    );
    expect(await grep({ pattern: 'hay', outputMode: 'content', context: 1, type: 'ts' })).toBe(
      'src/a.ts-1-const needle = 1;\nsrc/a.ts:2:const hay = 2;\nsrc/a.ts-3-const needle2 = needle;',
    );
    expect(await grep({ pattern: 'first.*NEEDLE', outputMode: 'content', multiline: true })).toBe(
      'src/deep/b.ts:1:function first() {\nsrc/deep/b.ts:2:  return NEEDLE;',
    );
  });

  it('counts, limits and goes on', async () => {
    expect(await grep({ pattern: 'needle', outputMode: 'count', glob: '*.ts' })).toBe('src/a.ts: 2');
    expect(await grep({ pattern: 'const', outputMode: 'content', limit: 1, offset: 1 })).toBe(
      'src/a.ts:2:const hay = 2;\n[More follow: go on with offset 2.]',
    );
    expect(await grep({ pattern: 'const', offset: 5 })).toBe('No more than 1 results.');
  });

  it('takes a pattern and a path as such, whatever they begin with', async () => {
    expect(await grep({ pattern: '--files' })).toContain('Nothing matches --files.');
    expect(await grep({ pattern: 'needle', path: '-dash.txt' })).toBe('-dash.txt');
    expect(await grep({ pattern: 'needle', ignoreCase: true, path: 'src/deep' })).toBe('src/deep/b.ts');
  });

  it('says what is wrong', async () => {
    expect(await grep({ pattern: 'a(' })).toContain('regex parse error');
    expect(await grep({ pattern: 'x', path: 'nowhere' })).toContain('nowhere does not exist');
    expect(await grep({ pattern: 'x', path: '/etc' })).toContain('out of the workspace');
    expect(await grep({ pattern: 'zzz' })).toBe('Nothing matches zzz.');
  });

  it('works in a sandbox', async () => {
    const sandbox = await AWorkspace.open('bubblewrap');
    await sandbox.write('x.txt', 'needle');
    expect((await sandbox.call('grep', { pattern: 'needle' })).text).toBe('x.txt');
    await sandbox.close();
  });
});
