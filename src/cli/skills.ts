import type { Command } from 'commander';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { loadSkill, loadSkills } from '../skills/load-skill.ts';
import { skillFiles } from '../skills/skill-files.ts';
import { defineCommand, type CommonOptions } from './define-command.ts';
import { notice, printJson, printLines } from './output.ts';
import { oneLine, table } from './text.ts';

export function skillsCommand(): Command {
  return defineCommand(
    'skills',
    'check the skills of a folder, and list them',
    'durascope skills ./skills\ndurascope skills ./skills/fill-forms --json',
  )
    .argument('[folder]', 'of skills, or one skill; default: skills', 'skills')
    .action(skills);
}

async function skills(folder: string, options: CommonOptions): Promise<void> {
  const path = resolve(folder);
  const found = existsSync(join(path, 'SKILL.md')) ? [loadSkill(path)] : loadSkills(path);
  const listed = await Promise.all(
    found.map(async (skill) => ({
      name: skill.name,
      description: skill.description,
      folder: skill.folder,
      files: await skillFiles(skill),
    })),
  );
  if (options.json) return printJson({ skills: listed });
  if (listed.length === 0) return notice(`there is no skill in ${path}: a skill is a folder with SKILL.md`);
  const rows = listed.map(({ name, description, files }) => [
    name,
    String(files.length + 1),
    oneLine(description, 100),
  ]);
  printLines(table(['SKILL', 'FILES', 'FOR'], rows));
}
