import { z } from 'zod';
import { escapeMarkup } from '../core/hint-text.ts';
import { DefinitionError } from '../tools/definition-error.ts';
import { defineTool } from '../tools/define-tool.ts';
import { didYouMean } from '../tools/nearest-names.ts';
import type { ToolSource } from '../tools/tool-source.ts';
import type { Tool } from '../tools/tool.ts';
import { skillBody, type Skill } from './load-skill.ts';
import { readSkillFile, skillFiles } from './skill-files.ts';

/** The slot that holds the names of skills that the session's model has read and that bring tools. */
const usedSkillsSlot = 'used_skills';

/**
 * Skills as a source of tools: their names and descriptions go into the system prompt, the `skill` tool reads the rest when it is needed, and
 * tools that a skill brings are there once it was read.
 *
 * @throws DefinitionError when two skills have one name.
 */
export function skills(list: readonly Skill[], options: { name?: string } = {}): ToolSource {
  const byName = new Map<string, Skill>();
  for (const skill of list) {
    const other = byName.get(skill.name);
    if (other)
      throw new DefinitionError(
        'skills',
        skill.name,
        `${other.folder} and ${skill.folder} both have this name: rename one.`,
      );
    byName.set(skill.name, skill);
  }
  const source = options.name ?? 'skills';
  const tool = skillTool(byName, source === 'skills' ? 'skill' : `${source}_skill`);
  const instructions = byName.size === 0 ? undefined : describe(list, tool.name);
  const bringTools = list.some(({ tools }) => tools.length > 0);
  return {
    name: source,
    definition: list.map(({ name, description, tools }) => ({
      name,
      description,
      tools: tools.map((brought) => brought.name),
    })),
    async load({ slots }) {
      if (instructions === undefined) return { tools: [] };
      const used = bringTools ? ((await slots.read<string[]>(usedSkillsSlot)) ?? []) : [];
      const brought = used.flatMap((name) => byName.get(name)?.tools ?? []);
      return { tools: [tool, ...brought], instructions };
    },
  };
}

function skillTool(byName: ReadonlyMap<string, Skill>, name: string): Tool {
  return defineTool({
    name,
    description:
      'Reads a skill: how to do something well. Read it before you begin, and its files where it names them.',
    input: z.object({
      skill: z.string().describe('Its name'),
      file: z
        .string()
        .optional()
        .describe('A file of the skill, by its path; leave out to read the skill itself'),
    }),
    readOnly: true,
    concurrencySafe: false,
    async execute({ skill: wanted, file }, { slots }) {
      const skill = byName.get(wanted);
      if (!skill) {
        const names = [...byName.keys()];
        throw new Error(
          `there is no skill "${wanted}".${didYouMean(wanted, names)} The skills are: ${names.join(', ')}.`,
        );
      }
      if (file !== undefined) return readSkillFile(skill, file);
      const body = skillBody(await readSkillFile(skill, 'SKILL.md'));
      const files = await skillFiles(skill);
      if (skill.tools.length > 0)
        await slots.update<string[]>(usedSkillsSlot, (now = []) => [...new Set([...now, skill.name])]);
      return [
        body,
        ...(files.length > 0 ? [`\nIts files: ${files.join(', ')}`] : []),
        ...(skill.tools.length > 0
          ? [
              `\nFrom your next step on you have its tools: ${skill.tools.map((tool) => tool.name).join(', ')}`,
            ]
          : []),
      ].join('\n');
    },
  });
}

function describe(list: readonly Skill[], toolName: string): string {
  const lines = list.map(
    ({ name, description }) => `<skill name="${name}">${escapeMarkup(description)}</skill>`,
  );
  return `<skills>\n${lines.join('\n')}\n</skills>\nEach of these skills tells you how to do something: read one with ${toolName} when it fits the task.`;
}
