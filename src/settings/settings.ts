import { dirname, join, resolve } from 'node:path';
import { defaultTaskQueue } from '../contracts/task-queues.ts';
import type { ModelProviderConfig } from '../schema/agent.ts';
import { readDevRecord, type DevRecord } from './dev-record.ts';
import { findConfig, loadConfig, missingConfig, type LoadedConfig } from './load-config.ts';
import { modelSettings } from './model-settings.ts';
import { SettingsError } from './settings-error.ts';
import { temporalSettings, type TemporalSettings } from './temporal-settings.ts';

const defaultPort = 4670;

/** What every command takes. Secrets are no flags: other users of the machine can read them there. */
export interface Flags {
  config?: string;
  address?: string;
  namespace?: string;
  taskQueue?: string;
  store?: string;
  owner?: string;
  port?: string;
}

export interface Settings {
  temporal: TemporalSettings;
  /** Of the content store; a SQLite path in it is absolute. May hold a password: print `publicStore` of it. */
  store: string;
  taskQueue: string;
  owner: string;
  /** Of the HTTP API. */
  port: number;
  /** `DURASCOPE_API_KEYS`: never print it. */
  apiKeys?: string;
  /** By provider. Holds API keys: never print it. */
  models: Record<string, ModelProviderConfig>;
  /** The folder `.durascope` beside the config: state of `durascope dev` and of the embedded store. */
  stateDir: string;
  config?: LoadedConfig;
  /** The `durascope dev` of this folder, when it runs. */
  dev?: DevRecord;
}

export interface ResolveOptions {
  /** Default `process.env`. */
  env?: Record<string, string | undefined>;
  /** Default `process.cwd()`. */
  cwd?: string;
  /** Fail when there is no config. Without it one is loaded only where no running `durascope dev` has said what it came to. */
  needsConfig?: boolean;
  /** Load the config where there is one, even beside a running `durascope dev`. */
  readsConfig?: boolean;
  /** As if there were no config. */
  skipsConfig?: boolean;
  /** As if no `durascope dev` ran. */
  ignoresDev?: boolean;
}

/**
 * The one place that decides which setting holds: flags, then environment, then the config, then a running `durascope dev`, then the
 * default.
 *
 * @throws SettingsError
 */
export async function resolveSettings(flags: Flags = {}, options: ResolveOptions = {}): Promise<Settings> {
  const { cwd = process.cwd(), needsConfig = false, readsConfig = false } = options;
  const { skipsConfig = false, ignoresDev = false } = options;
  const env = definedOf(options.env ?? process.env);
  const file = skipsConfig ? undefined : findConfig(cwd, flags.config);
  const root = file === undefined ? cwd : dirname(file);
  const stateDir = join(root, '.durascope');
  const dev = ignoresDev ? undefined : readDevRecord(stateDir);
  if (file === undefined && needsConfig) throw missingConfig(root);
  const isWanted = !skipsConfig && (needsConfig || readsConfig || !dev);
  const config = file !== undefined && isWanted ? await loadConfig(file) : undefined;

  const temporal = temporalSettings({ flags, env, config: config?.temporal, root, fallback: dev });
  const given = flags.store ?? env['DURASCOPE_STORE'];
  const store =
    given !== undefined
      ? absoluteStore(given, cwd)
      : (mapDefined(config?.store, (url) => absoluteStore(url, root)) ??
        dev?.store ??
        `sqlite:${join(stateDir, 'store.db')}`);
  if (dev && temporal.address === dev.address && store !== dev.store) throw storeMismatch(dev, store);
  return {
    temporal,
    store,
    taskQueue: flags.taskQueue ?? config?.taskQueue ?? dev?.taskQueue ?? defaultTaskQueue,
    owner: flags.owner ?? env['DURASCOPE_OWNER'] ?? 'local',
    port: portOf(flags.port ?? env['DURASCOPE_PORT']) ?? config?.port ?? defaultPort,
    models: modelSettings(config?.models, env),
    stateDir,
    ...(env['DURASCOPE_API_KEYS'] === undefined ? {} : { apiKeys: env['DURASCOPE_API_KEYS'] }),
    ...(config ? { config } : {}),
    ...(dev ? { dev } : {}),
  };
}

/** @throws SettingsError `port_invalid` */
function portOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new SettingsError(
    'port_invalid',
    `The port is "${text}": write a whole number from 0 to 65535 in --port or DURASCOPE_PORT`,
  );
}

/** A store's url without its password. */
export function publicStore(url: string): string {
  return url.replace(/:\/\/[^@/]*@/, '://…@').replace(/([?&]password=)[^&]*/i, '$1…');
}

function absoluteStore(url: string, folder: string): string {
  const path = /^sqlite:(.+)$/.exec(url)?.[1];
  return path === undefined || path === ':memory:' ? url : `sqlite:${resolve(folder, path)}`;
}

/** Turns would run in one store and be looked for in the other, for ever. */
function storeMismatch(dev: DevRecord, store: string): SettingsError {
  return new SettingsError(
    'store_mismatch',
    `The running "durascope dev" (process ${dev.pid}) keeps its content in ${publicStore(dev.store)}, but --store, DURASCOPE_STORE or the config names ${publicStore(store)}: make them the same, or restart dev`,
  );
}

/** A variable that is set to nothing is not set. */
function definedOf(env: Record<string, string | undefined>): Record<string, string> {
  const entries = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '',
  );
  return Object.fromEntries(entries);
}

function mapDefined<T, U>(value: T | undefined, map: (value: T) => U): U | undefined {
  return value === undefined ? undefined : map(value);
}
