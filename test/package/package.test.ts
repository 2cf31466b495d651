import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  exports: Record<string, { types: string; default: string } | string>;
  bin: { durascope: string };
};

describe('the package', () => {
  beforeAll(() => {
    const build = spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, encoding: 'utf8' });
    expect(build, build.stdout).toMatchObject({ status: 0 });
  });

  it('is clean for publint', async () => {
    const { messages, pkg } = await publint({ pkgDir: root, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  it('names these entries', () => {
    const entries = [
      '.',
      './client',
      './worker',
      './server',
      './workflow',
      './react',
      './testing',
      './package.json',
    ];
    expect(Object.keys(manifest.exports)).toEqual(entries);
  });

  it.each(['.', './client', './worker', './server', './workflow', './react', './testing'])(
    'can import the entry %s',
    async (entry) => {
      const module = (await import(join('durascope', entry))) as object;
      expect(Object.keys(module)).not.toEqual([]);
    },
  );

  it('has a command line that starts by itself', () => {
    const main = readFileSync(join(root, manifest.bin.durascope), 'utf8');
    expect(main).toMatch(/^#!\/usr\/bin\/env node\n/);
  });

  it('declares no type that other packages cannot resolve, and that would become any', () => {
    const declarations = readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' });
    const unresolvable = declarations
      .filter((file) => file.endsWith('.d.ts'))
      .filter((file) =>
        /import\("@temporalio\/[^"]+\/lib\//.test(readFileSync(join(root, 'dist', file), 'utf8')),
      );
    expect(unresolvable).toEqual([]);
  });
});
