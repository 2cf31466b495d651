import { z } from 'zod';
import { defineTool } from './define-tool.ts';
import { didYouMean } from './nearest-names.ts';
import type { Tool } from './tool.ts';

/** The slot that holds the names of the session's active groups. */
export const activeGroupsSlot = 'tool_groups';

interface Group {
  description: string;
  instructions?: string;
}

/** The tool with which a model says which groups of tools it wants from its next step on. */
export function resetTools(groups: Readonly<Record<string, Group>>): Tool {
  const names = Object.keys(groups);
  const listed = Object.entries(groups).map(([name, { description }]) => `- ${name}: ${description}`);
  return defineTool({
    name: 'reset_tools',
    description: [
      'Sets which groups of tools are active from your next step on: exactly those that you name, and no other. Your other tools stay. The groups are:',
      ...listed,
    ].join('\n'),
    input: z.object({
      groups: z.array(z.string()).describe('All groups to be active; an empty list deactivates all'),
    }),
    // It changes which tools the model sees, and nothing that they act on.
    readOnly: true,
    concurrencySafe: false,
    async execute({ groups: wanted }, { slots }) {
      const unknown = wanted.filter((name) => !names.includes(name));
      if (unknown.length > 0) {
        const hint = unknown.map((name) => `"${name}".${didYouMean(name, names)}`).join(' ');
        throw new Error(
          `nothing was changed: there is no group ${hint} The groups are: ${names.join(', ')}.`,
        );
      }
      const active = names.filter((name) => wanted.includes(name));
      await slots.update<string[]>(activeGroupsSlot, () => active);
      if (active.length === 0) return 'No group is active now.';
      const instructions = active.flatMap((name) => {
        const text = groups[name]?.instructions;
        return text === undefined
          ? []
          : [`<tool-instructions group="${name}">\n${text}\n</tool-instructions>`];
      });
      return [`Active now: ${active.join(', ')}.`, ...instructions].join('\n');
    },
  });
}
