import { mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { codeBlocks } from './code-blocks.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** What the package exports, as source: the docs hold for the code that is here, built or not. */
const entries = {
  durascope: 'src/index.ts',
  'durascope/client': 'src/client/index.ts',
  'durascope/server': 'src/server/index.ts',
  'durascope/react': 'src/react/index.ts',
  'durascope/worker': 'src/worker/index.ts',
  'durascope/workflow': 'src/workflow.ts',
  'durascope/testing': 'src/testing/index.ts',
};

/** Makes `import … from 'durascope'` mean the source, in a process that is started with this argument. */
export const importSource = `--import=data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  const entries = ${JSON.stringify(mapValues(entries, (file) => pathToFileURL(join(root, file)).href))};
  registerHooks({
    resolve: (name, context, next) => (name in entries ? { url: entries[name], shortCircuit: true } : next(name, context)),
  });
`)}`;

/** Writes the documents' TypeScript blocks as files, one folder a document, with a tsconfig that checks them all. */
export async function writeDocsProject(documents: readonly string[]): Promise<string> {
  // Under the root, so that packages resolve; in a folder that no other tool looks into.
  const folder = join(root, '.durascope', 'docs-test');
  await rm(folder, { recursive: true, force: true });
  for (const document of documents) {
    for (const { file, code } of await codeBlocks(join(root, document), 'ts')) {
      const path = join(folder, basename(document, '.md'), file);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, code);
    }
  }
  const tsconfig = {
    extends: '../../tsconfig.test.json',
    compilerOptions: { rootDir: '../..', paths: mapValues(entries, (file) => [join('../..', file)]) },
    include: ['*/**/*.ts'],
    references: [],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
  return folder;
}

function mapValues<T>(record: Record<string, string>, map: (value: string) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
