import MiniSearch from 'minisearch';
import { z } from 'zod';
import { defineTool } from './define-tool.ts';
import type { Tool } from './tool.ts';

/** The slot that holds the names of tools that the session's model has found, oldest first. */
export const foundToolsSlot = 'found_tools';

/** Found tools that stay on show; the oldest go first. */
const maxFound = 50;

/** The tool with which a model finds tools that are too many to be shown. What it finds it can call from its next step on. */
export function toolSearch(deferred: readonly Pick<Tool, 'name' | 'description'>[]): Tool {
  return defineTool({
    name: 'tool_search',
    description: `Finds tools by what they do. Besides the tools that you see there are ${deferred.length} more: search before you say that something can't be done. What is found can be called from your next step on.`,
    input: z.object({
      query: z.string().min(1).describe('Words that describe what the tool should do, or its name'),
      limit: z.int().min(1).max(20).optional().describe('How many to find at most; default 5'),
    }),
    readOnly: true,
    concurrencySafe: false,
    async execute({ query, limit = 5 }, { slots }) {
      const found = search(deferred, query).slice(0, limit);
      if (found.length === 0) return 'No tool was found: try other words.';
      const names = found.map(({ name }) => name);
      await slots.update<string[]>(foundToolsSlot, (now = []) =>
        [...now.filter((name) => !names.includes(name)), ...names].slice(-maxFound),
      );
      return found.map(({ name, description }) => `- ${name}: ${description}`).join('\n');
    },
  });
}

function search<T extends Pick<Tool, 'name' | 'description'>>(tools: readonly T[], query: string): T[] {
  const index = new MiniSearch<{ id: number; name: string; words: string; description: string }>({
    fields: ['name', 'words', 'description'],
    searchOptions: { boost: { name: 3, words: 2 }, prefix: true, fuzzy: 0.2 },
  });
  index.addAll(
    tools.map(({ name, description }, id) => ({
      id,
      name,
      // `mcp__mail__sendMessage` is found by "send", "mail" and "message".
      words: name.replaceAll(/[_-]+/g, ' ').replaceAll(/([a-z])([A-Z])/g, '$1 $2'),
      description,
    })),
  );
  return index.search(query).flatMap(({ id }) => tools[id as number] ?? []);
}
