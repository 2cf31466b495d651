import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { bundleOwn } from '../../src/worker/workflow-bundle.ts';

/** Where the files of the bundle may come from: packages, and folders of ours. */
const allowed = [
  '@temporalio/common',
  '@temporalio/workflow',
  'long',
  'ms',
  'nexus-rpc',
  'src/contracts',
  'src/core',
  'src/workflows',
];

/**
 * The lint rules see one import at a time, and the bundler takes any package that runs without Node: only the bundle tells what a
 * workflow reaches in the end.
 */
describe('the workflow bundle', () => {
  let code: string;
  beforeAll(async () => {
    ({ code } = await bundleOwn());
  });

  it('holds the fixed set of packages and folders, and no zod', () => {
    const origins = new Set(sourcesOf(code).flatMap((source) => originOf(source) ?? []));
    expect([...origins].toSorted()).toEqual(allowed);
  });

  it('keeps nothing in variables of modules: all workflows of a worker share these', async () => {
    const own = sourcesOf(code).flatMap(
      (source) => /\/(src\/(?:contracts|core|workflows)\/.+\.ts)$/.exec(source)?.[1] ?? [],
    );
    const texts = await Promise.all(own.map((path) => readFile(path, 'utf8')));
    expect(own.length).toBeGreaterThan(30);
    expect(own.filter((_, i) => /^(export )?(let|var) /m.test(texts[i] ?? ''))).toEqual([]);
  });

  it('stays under 2 MB', () => {
    expect(Buffer.byteLength(code)).toBeLessThanOrEqual(2 * 1024 * 1024);
  });
});

function sourcesOf(bundle: string): string[] {
  const [, map] = bundle.split(/sourceMappingURL=data:application\/json[^,]*;base64,/);
  if (map === undefined) throw new Error('the bundle has no inline source map');
  return (JSON.parse(Buffer.from(map, 'base64').toString()) as { sources: string[] }).sources;
}

/** The package or the folder of ours; undefined for what the bundler itself puts in. */
function originOf(source: string): string | undefined {
  if (source.startsWith('webpack/') || source.startsWith('ignored|')) return undefined;
  const packaged = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source);
  return packaged?.[1] ?? /\/(src\/[^/]+)\//.exec(source)?.[1] ?? source;
}
