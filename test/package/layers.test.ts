import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Example {
  layer: string;
  source: string;
}

/** A tree with one file for each example, checked by our own configuration; deliberate violations prove that each guard bites. */
class Specimens {
  #folder = '';
  readonly #files = new Map<Example, string>();

  async prepare(examples: Example[], configs: string[]): Promise<void> {
    this.#folder = await mkdtemp(join(tmpdir(), 'durascope-layers-'));
    for (const config of ['package.json', 'tsconfig.base.json', ...configs])
      await copyFile(join(root, config), join(this.#folder, config));
    await symlink(join(root, 'node_modules'), join(this.#folder, 'node_modules'));
    const imported = [
      'schema/thing',
      'core/thing',
      'contracts/thing',
      'client/thing',
      'activities/thing',
      'model/thing',
    ];
    for (const name of imported)
      await this.write(`src/${name}.ts`, 'export const thing = 1;\nexport type Thing = 1;\n');
    for (const [index, example] of examples.entries()) {
      const file = `${example.layer}/specimen-${index}.ts`;
      this.#files.set(example, file);
      await this.write(file, `${example.source}\n`);
    }
  }

  /** What the program prints, whether or not it finds faults. */
  run(program: string, args: string[]): Promise<string> {
    return new Promise((resolve) => {
      const options = { cwd: this.#folder, maxBuffer: 16 * 1024 * 1024 };
      execFile(join(root, 'node_modules/.bin', program), args, options, (_error, stdout) => resolve(stdout));
    });
  }

  fileOf(example: Example): string {
    return this.#files.get(example) ?? '';
  }

  remove(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true });
  }

  async write(path: string, source: string): Promise<void> {
    await mkdir(dirname(join(this.#folder, path)), { recursive: true });
    await writeFile(join(this.#folder, path), source);
  }
}

describe('the linter', () => {
  const value = (from: string): string => `import { thing } from '${from}';\nexport const used = thing;`;
  const type = (from: string): string => `import type { Thing } from '${from}';\nexport type Used = Thing;`;
  const restricted = 'no-restricted-imports';
  const refused: (Example & { rule: string })[] = [
    { layer: 'src/schema', source: value('kysely'), rule: restricted },
    { layer: 'src/schema', source: value('../core/thing.ts'), rule: restricted },
    { layer: 'src/core', source: value('zod'), rule: restricted },
    { layer: 'src/core', source: value('node:fs'), rule: restricted },
    { layer: 'src/core', source: value('../schema/thing.ts'), rule: restricted },
    { layer: 'src/core', source: type('../contracts/thing.ts'), rule: restricted },
    { layer: 'src/core', source: 'export const now = Date.now();', rule: 'no-restricted-properties' },
    { layer: 'src/core', source: 'export const random = Math.random();', rule: 'no-restricted-properties' },
    { layer: 'src/contracts', source: value('../schema/thing.ts'), rule: restricted },
    { layer: 'src/contracts', source: value('@temporalio/client'), rule: restricted },
    { layer: 'src/workflows', source: value('openai'), rule: restricted },
    { layer: 'src/workflows', source: value('node:crypto'), rule: restricted },
    { layer: 'src/workflows', source: type('../activities/thing.ts'), rule: restricted },
    { layer: 'src/workflows', source: type('@temporalio/client'), rule: restricted },
    { layer: 'src/model', source: type('../activities/thing.ts'), rule: restricted },
    { layer: 'src/tools', source: value('../client/thing.ts'), rule: restricted },
    { layer: 'src/mcp', source: type('../client/thing.ts'), rule: restricted },
    { layer: 'src/mcp', source: type('../activities/thing.ts'), rule: restricted },
    { layer: 'src/client', source: value('../activities/thing.ts'), rule: restricted },
    { layer: 'src/client', source: type('../model/thing.ts'), rule: restricted },
    { layer: 'src/workspace', source: value('../client/thing.ts'), rule: restricted },
    { layer: 'src/web', source: type('../model/thing.ts'), rule: restricted },
    { layer: 'src/react', source: value('../schema/thing.ts'), rule: restricted },
    { layer: 'src/react', source: type('../client/thing.ts'), rule: restricted },
    { layer: 'src/react', source: value('node:fs'), rule: restricted },
    { layer: 'src/ui/pages', source: value('../../client/thing.ts'), rule: restricted },
    { layer: 'src/ui/pages', source: value('../../core/thing.ts'), rule: restricted },
    { layer: 'src/ui', source: value('../schema/thing.ts'), rule: restricted },
    { layer: 'src/ui', source: type('../client/thing.ts'), rule: restricted },
    { layer: 'src/ui', source: value('node:fs'), rule: restricted },
    {
      layer: 'src/activities',
      source: 'export const loose = (value: any): unknown => value;',
      rule: 'no-explicit-any',
    },
    {
      layer: 'src/activities',
      source: 'export const later = (): void => { Promise.resolve(1); };',
      rule: 'no-floating-promises',
    },
    {
      layer: 'src/activities',
      source: "export { one } from './cycle.ts';\nexport const two = 2;",
      rule: 'no-cycle',
    },
  ];
  const accepted: Example[] = [
    { layer: 'src/schema', source: value('zod') },
    { layer: 'src/core', source: type('../schema/thing.ts') },
    { layer: 'src/contracts', source: value('../core/thing.ts') },
    { layer: 'src/contracts', source: type('../schema/thing.ts') },
    { layer: 'src/workflows', source: value('../contracts/thing.ts') },
    { layer: 'src/workflows', source: value('@temporalio/workflow') },
    { layer: 'src/client', source: value('@temporalio/client') },
    { layer: 'src/react', source: value('../core/thing.ts') },
    { layer: 'src/react', source: type('../schema/thing.ts') },
    { layer: 'src/ui', source: type('../schema/thing.ts') },
    { layer: 'src/ui/pages', source: type('../../schema/thing.ts') },
  ];

  const specimens = new Specimens();
  let found: { filename: string; code: string }[];
  beforeAll(async () => {
    const examples = [...refused, ...accepted];
    await specimens.prepare(examples, ['.oxlintrc.json']);
    const importer = examples.findIndex(({ source }) => source.includes('./cycle.ts'));
    const cycle = `export { two } from './specimen-${importer}.ts';\nexport const one = 1;\n`;
    await specimens.write('src/activities/cycle.ts', cycle);
    const report = JSON.parse(await specimens.run('oxlint', ['--format', 'json', 'src'])) as {
      diagnostics: { filename: string; code: string }[];
    };
    found = report.diagnostics;
  });
  afterAll(() => specimens.remove());

  const rulesFor = (example: Example): string[] =>
    found.filter(({ filename }) => filename === specimens.fileOf(example)).map(({ code }) => code);

  it.each(refused)('refuses in $layer: $source', (example) => {
    expect(rulesFor(example).join()).toContain(`(${example.rule})`);
  });

  it.each(accepted)('accepts in $layer: $source', (example) => {
    expect(rulesFor(example)).toEqual([]);
  });
});

describe('the deterministic TypeScript project', () => {
  const unknownName = /TS(2304|2580|2584|2591)/;
  const outsideTheProject = /TS6307/;
  const refused: (Example & { error: RegExp })[] = [
    { layer: 'src/core', source: "export const page = fetch('http://localhost');", error: unknownName },
    { layer: 'src/core', source: 'export const home = process.env;', error: unknownName },
    { layer: 'src/workflows', source: "console.log('replayed');", error: unknownName },
    { layer: 'src/workflows', source: 'export const timer = setTimeout(() => {}, 1);', error: unknownName },
    { layer: 'src/contracts', source: "export const bytes = Buffer.from('');", error: unknownName },
    {
      layer: 'src/workflows',
      source: "export { thing } from '../client/thing.ts';",
      error: outsideTheProject,
    },
    {
      layer: 'src/workflows',
      source: "export type { Thing } from '../activities/thing.ts';",
      error: outsideTheProject,
    },
  ];
  const accepted: Example[] = [
    { layer: 'src/core', source: "export type { Thing } from '../schema/thing.ts';" },
    { layer: 'src/workflows', source: "export { sleep } from '@temporalio/workflow';" },
  ];

  const specimens = new Specimens();
  let errors: string[];
  beforeAll(async () => {
    const configs = ['tsconfig.schema.json', 'tsconfig.deterministic.json'];
    await specimens.prepare([...refused, ...accepted], configs);
    errors = (await specimens.run('tsc', ['-b', 'tsconfig.deterministic.json', '--pretty', 'false'])).split(
      '\n',
    );
  });
  afterAll(() => specimens.remove());

  const errorsIn = (example: Example): string[] =>
    errors.filter((line) => line.startsWith(`${specimens.fileOf(example)}(`));

  it.each(refused)('refuses in $layer: $source', (example) => {
    expect(errorsIn(example).join('\n')).toMatch(example.error);
  });

  it.each(accepted)('accepts in $layer: $source', (example) => {
    expect(errorsIn(example)).toEqual([]);
  });
});
