import { existsSync } from 'node:fs';
import { openStore, type OpenStore } from '../store/open-store.ts';

/** For commands that only look: where there is no store yet, an empty one that leaves nothing behind. */
export function openExistingStore(url: string): Promise<OpenStore> {
  const path = /^sqlite:(.+)$/.exec(url)?.[1];
  return openStore(path === undefined || existsSync(path) ? url : 'sqlite::memory:');
}
