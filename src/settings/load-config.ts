import { existsSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { loadConfig as loadWithC12 } from 'c12';
import { defineConfig, type CheckedConfig, type Config } from '../agents/define-config.ts';
import { SettingsError } from './settings-error.ts';

export interface LoadedConfig extends CheckedConfig {
  /** The full path of the file. */
  file: string;
}

const names = ['ts', 'mts', 'js', 'mjs'].map((extension) => `durascope.config.${extension}`);

/**
 * The path of the config: the given one, or `durascope.config.ts` of the folder.
 *
 * @throws SettingsError `config_not_found` when the given one is not there.
 */
export function findConfig(cwd: string, given: string | undefined): string | undefined {
  if (given === undefined) return names.map((name) => join(cwd, name)).find((path) => existsSync(path));
  const path = resolve(cwd, given);
  if (existsSync(path)) return path;
  throw new SettingsError('config_not_found', `There is no config file ${path}: correct --config`);
}

export function missingConfig(folder: string): SettingsError {
  return new SettingsError(
    'config_not_found',
    `There is no durascope.config.ts in ${folder}. Name one with --config FILE, or create it:\n` +
      `  import { defineAgent, defineConfig } from 'durascope';\n` +
      `  const support = defineAgent({ name: 'support', model: 'openai/gpt-5-mini', instructions: 'You help.' });\n` +
      `  export default defineConfig({ agents: [support] });`,
  );
}

/** @throws SettingsError `config_invalid` that says what the file, or one that it imports, does wrong. */
export async function loadConfig(file: string): Promise<LoadedConfig> {
  try {
    const { config } = await loadWithC12({
      name: 'durascope',
      cwd: dirname(file),
      configFile: basename(file),
      configFileRequired: true,
      rcFile: false,
      packageJson: false,
      dotenv: false,
      extend: false,
      giget: false,
      envName: false,
      merger: (...layers) => layers.find((layer) => layer !== null && layer !== undefined) ?? {},
      // Node runs most TypeScript itself; the transpiler is there for the rest, and for imports without an extension.
      jitiOptions: { tryNative: true, moduleCache: true, fsCache: false },
    });
    return { ...defineConfig(config as unknown as Config), file };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SettingsError('config_invalid', `${shortPath(file)} cannot be used: ${reason}`, { cause });
  }
}

function shortPath(file: string): string {
  const path = relative(process.cwd(), file);
  return path.startsWith('..') || isAbsolute(path) ? file : path;
}
