import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { runTool } from '../../src/tools/run-tool.ts';
import { fixedSearch, searxng } from '../../src/web/search-providers.ts';
import { webSearch, type SearchProvider } from '../../src/web/web-search.ts';
import { aCall } from '../tools/a-tool.ts';

async function search(provider: SearchProvider, query: string, limit?: number): Promise<string> {
  const hooks = { onText: () => undefined, onProgress: () => undefined };
  const input = { query, ...(limit === undefined ? {} : { limit }) };
  const { parts } = await runTool(webSearch({ provider }), input, aCall(), hooks);
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

describe('web_search', () => {
  const fixed = fixedSearch([
    { title: 'Temporal', url: 'https://temporal.test/', excerpt: 'Durable workflows' },
    { title: 'Durable agents', url: 'https://agents.test/', excerpt: 'Durable workflows of agents' },
  ]);

  it('lists what the provider finds', async () => {
    expect(await search(fixed, 'durable workflows')).toBe(
      '1. Durable agents\n   https://agents.test/\n   Durable workflows of agents\n2. Temporal\n   https://temporal.test/\n   Durable workflows',
    );
    expect(await search(fixed, 'durable', 1)).not.toContain('2.');
    expect(await search(fixed, 'cooking')).toBe('fixed finds nothing for "cooking".');
  });

  it('asks a SearXNG', async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      if (request.url?.startsWith('/closed')) response.writeHead(403).end();
      else
        response.end(
          JSON.stringify({ results: [{ title: 'T', url: 'https://t.test/', content: 'C', engine: 'e' }] }),
        );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await search(searxng({ baseUrl }), 'a & b')).toBe('1. T\n   https://t.test/\n   C');
    expect(asked).toEqual(['/search?q=a+%26+b&format=json']);
    expect(await search(searxng({ baseUrl: `${baseUrl}/closed` }), 'x')).toContain('allow the format json');
    server.close();
  });
});
