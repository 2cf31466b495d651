import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { Skill } from './load-skill.ts';

/** Larger files of a skill are for its tools, not for the model to read. */
const maxFileBytes = 512 * 1024;
/** Files that are listed. */
const maxListed = 100;

/** Reads a file of a skill, and nothing outside its folder: not by `..`, not by a link. */
export async function readSkillFile({ name, folder }: Skill, path: string): Promise<string> {
  const missing = new Error(`the skill ${name} has no file ${path}.`);
  const real = await realpath(join(folder, path)).catch(() => {
    throw missing;
  });
  if (real !== folder && !real.startsWith(folder + sep)) throw missing;
  const stats = await stat(real);
  // A pipe would be waited for, for ever.
  if (!stats.isFile()) throw new Error(`${path} of the skill ${name} is no file.`);
  const { size } = stats;
  if (size > maxFileBytes)
    throw new Error(`${path} has ${size} bytes, above the limit of ${maxFileBytes}: it can't be read here.`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(real));
  } catch (cause) {
    throw new Error(`${path} is no text.`, { cause });
  }
}

/** Paths of the skill's other files, within its folder. */
export async function skillFiles({ folder }: Skill): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((path) => path !== 'SKILL.md')
    .toSorted()
    .slice(0, maxListed);
}
