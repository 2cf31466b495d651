import { z } from 'zod';
import { defineTool } from '../tools/define-tool.ts';
import type { Tool } from '../tools/tool.ts';

export interface SearchResult {
  title: string;
  url: string;
  /** A few sentences of it. */
  excerpt?: string;
}

/** A search engine. **Contract:** answers best first, at most `limit`, and throws an Error that a model can read. */
export interface SearchProvider {
  readonly name: string;
  search(query: string, options: { limit: number; signal: AbortSignal }): Promise<readonly SearchResult[]>;
}

const maxResults = 20;

const input = z.object({
  query: z.string().min(1).max(1_000),
  limit: z.number().int().min(1).max(maxResults).optional().describe('How many results. Default 8'),
});

/** A tool that searches by a provider of your choice; what is searched for goes to it without asking. */
export function webSearch({ provider }: { provider: SearchProvider }): Tool {
  return defineTool({
    name: 'web_search',
    description: 'Searches the web: titles, addresses and excerpts, best first. Read a page with web_fetch.',
    input,
    readOnly: true,
    timeout: 30_000,
    async execute({ query, limit = 8 }, { signal }) {
      const found = await provider.search(query, { limit, signal });
      if (found.length === 0) return `${provider.name} finds nothing for "${query}".`;
      return found
        .slice(0, limit)
        .map(({ title, url, excerpt = '' }, index) =>
          `${index + 1}. ${title}\n   ${url}\n   ${excerpt.slice(0, 500)}`.trimEnd(),
        )
        .join('\n');
    },
  });
}
