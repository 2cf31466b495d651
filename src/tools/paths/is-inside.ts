import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';

/** Whether a path lies in one of the directories, with symbolic links and `..` resolved, those of a file that is not there yet included. */
export async function isInside(directories: readonly string[], path: string): Promise<boolean> {
  if (!isAbsolute(path)) return false;
  const target = await resolved(path);
  for (const directory of directories) {
    const way = relative(await resolved(directory), target);
    if (way === '' || (!way.startsWith('..') && !isAbsolute(way))) return true;
  }
  return false;
}

async function resolved(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(await resolved(parent), basename(path));
  }
}
