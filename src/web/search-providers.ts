import { z } from 'zod';
import type { SearchProvider, SearchResult } from './web-search.ts';

/** Searches pages that are given: for tests and demos. A page is found when it has all the words; the more often, the better. */
export function fixedSearch(pages: readonly SearchResult[]): SearchProvider {
  return {
    name: 'fixed',
    async search(query, { limit }) {
      const words = query.toLowerCase().split(/\W+/).filter(Boolean);
      return pages
        .map((page) => ({ page, counts: words.map((word) => countOf(word, page)) }))
        .filter(({ counts }) => counts.every((count) => count > 0))
        .toSorted((a, b) => sum(b.counts) - sum(a.counts))
        .slice(0, limit)
        .map(({ page }) => page);
    },
  };
}

function countOf(word: string, { title, excerpt = '' }: SearchResult): number {
  return `${title} ${excerpt}`.toLowerCase().split(word).length - 1;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

const Answer = z.object({
  results: z.array(z.object({ title: z.string(), url: z.string(), content: z.string().optional() })),
});

/** A SearXNG of your own, which needs no key; its settings must allow the format `json`. */
export function searxng({ baseUrl }: { baseUrl: string }): SearchProvider {
  return {
    name: 'searxng',
    async search(query, { limit, signal }) {
      const url = new URL('search', baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`);
      url.search = new URLSearchParams({ q: query, format: 'json' }).toString();
      const response = await fetch(url, { signal });
      if (!response.ok)
        throw new Error(
          `SearXNG at ${baseUrl} answered ${response.status}${response.status === 403 ? ': allow the format json in its settings (search.formats)' : ''}`,
        );
      const { results } = Answer.parse(await response.json());
      return results
        .slice(0, limit)
        .map(({ title, url, content }) => ({ title, url, ...(content ? { excerpt: content } : {}) }));
    },
  };
}
