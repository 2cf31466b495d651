import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  bundleWorkflowCode,
  type BundleOptions,
  type WorkflowBundleOption,
  type WorkflowBundleWithSourceMap,
} from '@temporalio/worker';
import { DefinitionError } from '../tools/definition-error.ts';

// The tests make one for all their processes, as the build makes one for all workers.
const prebuilt =
  process.env['DURASCOPE_WORKFLOW_BUNDLE'] ??
  fileURLToPath(new URL('../workflow-bundle.js', import.meta.url));
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const pathOf = (module: string) =>
  fileURLToPath(new URL(`../workflows/${module}.${extension}`, import.meta.url));

let bundled: Promise<WorkflowBundleOption> | undefined;

/**
 * The bundle of our workflows: the one that the build made, else one made now, once a process.
 *
 * @param workflowsPath a module whose exports are workflows too: then all are bundled together, now.
 */
export function workflowBundle(workflowsPath?: string): Promise<WorkflowBundleOption> {
  if (workflowsPath !== undefined) return bundleTogether(workflowsPath);
  bundled ??= existsSync(prebuilt) ? Promise.resolve({ codePath: prebuilt }) : bundleOwn();
  return bundled;
}

/** Bundles our workflows now, whatever the build made. */
export function bundleOwn(): Promise<WorkflowBundleWithSourceMap> {
  return bundle(pathOf('index'));
}

/** @throws DefinitionError */
export function checkWorkflowsPath(workflowsPath: string | undefined): void {
  if (workflowsPath === undefined || existsSync(workflowsPath)) return;
  throw new DefinitionError(
    'worker',
    'workflowsPath',
    `there is no file ${workflowsPath}: write the absolute path of a module, such as fileURLToPath(import.meta.resolve('./workflows.ts')).`,
  );
}

/** The bundler takes one module: one that exports what both have. */
async function bundleTogether(workflowsPath: string): Promise<WorkflowBundleOption> {
  const folder = await mkdtemp(join(tmpdir(), 'durascope-workflows-'));
  try {
    const both = join(folder, 'index.mjs');
    const modules = [pathOf('index'), resolve(workflowsPath)];
    await writeFile(both, modules.map((path) => `export * from ${JSON.stringify(path)};\n`).join(''));
    return await bundle(both, withOwnSdk);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type WebpackConfig = Parameters<NonNullable<BundleOptions['webpackConfigHook']>>[0];

/** The module that exports both lies nowhere near our packages; and of Temporal's there may be one copy only. */
function withOwnSdk(config: WebpackConfig): WebpackConfig {
  const { resolve: find } = createRequire(import.meta.url);
  const packages = ['@temporalio/workflow', '@temporalio/common'];
  const alias = Object.fromEntries(packages.map((name) => [name, dirname(find(`${name}/package.json`))]));
  // The bundler's own are an object, not webpack's other form.
  const before = config.resolve?.alias as Record<string, string> | undefined;
  return { ...config, resolve: { ...config.resolve, alias: { ...before, ...alias } } };
}

function bundle(
  workflowsPath: string,
  change: (config: WebpackConfig) => WebpackConfig = (config) => config,
): Promise<WorkflowBundleWithSourceMap> {
  return bundleWorkflowCode({
    workflowsPath,
    payloadConverterPath: pathOf('payload-converter'),
    // Ours keep nothing at the level of a module, so all workflows of a worker share them: 90 kB of memory less for each, and a third of the
    // time to begin one.
    preloadModules: [pathOf('index')],
    // Stack traces name file and line by the map; with the sources in it the bundle would be twice as large in each worker's memory.
    webpackConfigHook: (config) => ({ ...change(config), devtool: 'inline-nosources-source-map' }),
    logger: quiet,
  });
}

const ignore = () => undefined;
const quiet = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore, log: ignore };
