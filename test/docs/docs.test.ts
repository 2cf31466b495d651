import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScriptedModel } from '../../src/testing/index.ts';
import { sharedTemporal } from '../support/temporal.ts';
import { codeBlocks } from './code-blocks.ts';
import { importSource, root, writeDocsProject } from './docs-project.ts';

const execFileAsync = promisify(execFile);
const documents = [
  'README.md',
  ...(await readdir(join(root, 'docs'), { recursive: true }))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];

let project: string;
beforeAll(async () => {
  project = await writeDocsProject(documents);
});
afterAll(() => rm(project, { recursive: true, force: true }));

describe('the documentation', () => {
  it('has TypeScript that type-checks against the source', async () => {
    const tsc = join(root, 'node_modules/.bin/tsc');
    const checked = await execFileAsync(tsc, ['-p', project], { cwd: root }).catch((error: unknown) => error);
    expect((checked as { stdout: string }).stdout).toBe('');
  });

  it.each(documents)('names only npm scripts that there are: %s', async (document) => {
    const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const text = await readFile(join(root, document), 'utf8');
    const named = [...text.matchAll(/\bnpm (?:run ([\w:-]+)|(test)\b)/g)].map(([, run, test]) => run ?? test);
    expect(named.filter((name) => name === undefined || !(name in scripts))).toEqual([]);
  });

  it.each(documents)('links only to files that there are: %s', async (document) => {
    const text = await readFile(join(root, document), 'utf8');
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link = '']) => link);
    const missing = links.filter((link) => !existsSync(join(root, dirname(document), link)));
    expect(missing).toEqual([]);
  });

  it('says in the README where things are, and there they are', async () => {
    const text = await readFile(join(root, 'README.md'), 'utf8');
    const paths = [...text.matchAll(/`((?:src|test|docs|examples)\/[\w./-]+)`/g)].map(
      ([, path = '']) => path,
    );
    expect(paths.length).toBeGreaterThan(10);
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    const folders = (await readdir(join(root, 'src'), { withFileTypes: true })).filter((entry) =>
      entry.isDirectory(),
    );
    expect(folders.map(({ name }) => `src/${name}`).filter((folder) => !paths.includes(folder))).toEqual([]);
  });
});

describe('docs/getting-started.md', () => {
  it('works as it is written: its worker runs, its back-end code gets the refund approved and the answer', async () => {
    const data = await mkdtemp(join(tmpdir(), 'durascope-docs-'));
    const model = await ScriptedModel.start();
    model
      .calls('find_order', { orderId: '1001' })
      .calls('refund_order', { orderId: '1001', amount: 24.5 })
      .says('The 24.50 euros are on their way.');
    const env = {
      ...process.env,
      TEMPORAL_ADDRESS: sharedTemporal().address,
      DURASCOPE_STORE: `sqlite:${join(data, 'store.db')}`,
      OPENAI_BASE_URL: model.baseUrl,
      OPENAI_API_KEY: 'scripted',
    };
    const cwd = join(project, 'getting-started');
    const worker = spawn(process.execPath, [importSource, 'worker.ts'], { cwd, env });
    const workerEnded = once(worker, 'exit');
    try {
      const node = (file: string) => execFileAsync(process.execPath, [importSource, file], { cwd, env });
      const refund = await node('refund.ts');
      expect(refund.stdout).toContain('refund_order {"orderId":"1001","amount":24.5} waits for a person');
      expect(refund.stdout).toContain('model_stop: The 24.50 euros are on their way.');

      const watch = await node('watch.ts');
      expect(watch.stdout).toContain('[find_order]\n');
      expect(watch.stdout).toContain('The 24.50 euros are on their way.');
      model.assertDone();
    } finally {
      worker.kill('SIGTERM');
      await workerEnded;
      await model.stop();
      await rm(data, { recursive: true, force: true });
    }
  });

  it('scripts a model as it is written', async () => {
    const cwd = join(project, 'getting-started');
    await expect(
      execFileAsync(process.execPath, [importSource, 'scripted.ts'], { cwd }),
    ).resolves.toBeTruthy();
    expect((await codeBlocks(join(root, 'docs/getting-started.md'), 'ts')).map(({ file }) => file)).toEqual([
      'support.ts',
      'durascope.config.ts',
      'refund.ts',
      'watch.ts',
      'worker.ts',
      'scripted.ts',
    ]);
  });
});
