import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isExecutable } from './tied-process.ts';

/** Where fetched programs are kept: `DURASCOPE_CACHE`, or `durascope` in the user's cache folder. */
export function cacheFolder(): string {
  const own = process.env['DURASCOPE_CACHE'];
  if (own !== undefined && own !== '') return own;
  const xdg = process.env['XDG_CACHE_HOME'];
  return join(xdg !== undefined && xdg !== '' ? xdg : join(homedir(), '.cache'), 'durascope');
}

export function cachedProgram(name: string): string | undefined {
  const path = join(cacheFolder(), name);
  return isExecutable(path) ? path : undefined;
}

/**
 * Has a program fetched into a folder of its own and moves it into the cache in one step, so that two starts at once never see half a file.
 * Contract: `fetch` gets an empty folder on the cache's file system and resolves to the path of an executable in it.
 */
export async function addToCache(name: string, fetch: (folder: string) => Promise<string>): Promise<string> {
  await mkdir(cacheFolder(), { recursive: true });
  const folder = await mkdtemp(join(cacheFolder(), '.fetching-'));
  try {
    const path = join(cacheFolder(), name);
    await rename(await fetch(folder), path);
    return path;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
