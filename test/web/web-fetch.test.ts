import type { LookupAddress } from 'node:dns';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pdfText } from '../../src/tools/pdf-text.ts';
import { runTool } from '../../src/tools/run-tool.ts';
import { convertPage } from '../../src/web/convert-page.ts';
import { WebConnection, type Resolve } from '../../src/web/web-connection.ts';
import { webFetch, webFetchOver, type WebFetchOptions } from '../../src/web/web-fetch.ts';
import { aCall } from '../tools/a-tool.ts';
import { aPdf, aPdfBomb } from '../workspace/a-pdf.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const answers = new Map<string, Answer>();
let server: Server;
let port: number;
let seen: string[] = [];
beforeAll(async () => {
  server = createServer((request, response) => {
    const url = request.url ?? '';
    seen.push(`${request.headers.host} ${url}`);
    const answer = answers.get(url.split('?')[0] ?? '');
    if (answer) answer(request, response);
    else response.writeHead(404, { 'content-type': 'text/plain' }).end('nothing here');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function serve(path: string, type: string, body: string | Uint8Array, headers: Record<string, string> = {}) {
  answers.set(path, (_, response) => response.writeHead(200, { 'content-type': type, ...headers }).end(body));
}

const redirect = (path: string, to: string) =>
  answers.set(path, (_, response) => response.writeHead(302, { location: to }).end());

/** DNS as this test says: every name of it at these addresses, one list after the other. */
function names(table: Record<string, LookupAddress['address'][][]>): Resolve {
  return ((host: string, _options: unknown, done: (error: Error | null, found: LookupAddress[]) => void) => {
    const lists = table[host];
    const addresses = (lists && lists.length > 1 ? lists.shift() : lists?.[0]) ?? [];
    if (addresses.length === 0) return done(new Error(`no such host ${host}`), []);
    return done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  }) as Resolve;
}

/** The server of this test by its name; everything else as from the outside. */
const local: Record<string, string[][]> = { 'site.test': [['127.0.0.1']], 'other.test': [['127.0.0.1']] };

async function fetchText(url: string, options: WebFetchOptions = {}, args = {}, table = local) {
  const connection = new WebConnection(options.allowPrivate ?? [`site.test:${port}`], names(table));
  const tool = webFetchOver(connection, { timeout: 5_000, ...options });
  const outcome = await runTool(tool, { url, ...args }, aCall(), {
    onText: () => undefined,
    onProgress: () => undefined,
  });
  const text = outcome.parts.map((part) => (part.type === 'text' ? part.text : part.mediaType)).join('\n');
  return { state: outcome.state, text };
}

const site = (path: string) => `http://site.test:${port}${path}`;

describe('web_fetch', () => {
  it('gives HTML as Markdown, without what is not read, with absolute addresses', async () => {
    serve(
      '/page',
      'text/html; charset=utf-8',
      `<html><head><title>A page</title><style>x{}</style><script>alert(1)</script></head><body>
      <nav><a href="/menu">Menu</a></nav><main><h1>Hello</h1><p>Some <b>bold</b> <a href="next?x=1">link</a>.</p>
      <ul><li>one</li><li>two</li></ul><pre><code>let a = 1;</code></pre>
      <table><tr><th>k</th><th>v</th></tr><tr><td>a|b</td><td>1</td></tr></table></main></body></html>`,
    );
    const { text } = await fetchText(site('/page'));
    expect(text).toContain('Title: A page\n\n# Hello');
    expect(text).toContain(`Some **bold** [link](${site('/next?x=1')}).`);
    expect(text).toMatch(/-\s+one\n-\s+two/);
    expect(text).toContain('let a = 1;');
    expect(text).toContain('| k | v |\n| --- | --- |\n| a\\|b | 1 |');
    expect(text).not.toMatch(/Menu|alert|x\{\}/);
  });

  it('gives text and JSON as they are, PDFs as text, images as such', async () => {
    serve('/data.json', 'application/json', '{"a": [1, 2]}');
    serve('/plain', 'text/plain; charset=iso-8859-1', Buffer.from('caf\u00e9', 'latin1'));
    serve('/doc.pdf', 'application/pdf', aPdf(Array.from({ length: 12 }, (_, at) => `Page text ${at + 1}`)));
    serve('/dot.png', 'image/png', new Uint8Array([1, 2, 3]));
    serve('/zip', 'application/zip', new Uint8Array([80, 75, 0, 1]));
    expect((await fetchText(site('/data.json'))).text).toBe('{"a": [1, 2]}');
    expect((await fetchText(site('/plain'))).text).toBe('café');
    expect((await fetchText(site('/doc.pdf'))).text).toContain('Page text 12');
    expect((await fetchText(site('/dot.png'))).text).toBe('image/png');
    expect(await fetchText(site('/zip'))).toMatchObject({
      state: 'error',
      text: expect.stringContaining('application/zip of 4 bytes') as string,
    });
  });

  it('gives a long page in parts', async () => {
    serve('/long', 'text/plain', 'abcdefghij'.repeat(10));
    const first = await fetchText(site('/long'), { maxChars: 60 });
    expect(first.text).toContain('[Cut here: characters 0 to 60 of 100. Go on with offset 60.]');
    expect((await fetchText(site('/long'), { maxChars: 60 }, { offset: 60 })).text).toBe(
      'abcdefghij'.repeat(4),
    );
    expect((await fetchText(site('/long'), {}, { offset: 100 })).text).toContain('there is none at 100');
  });

  it('reads no more than its limit, of an endless answer and of a compressed one', async () => {
    answers.set('/endless', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      const more = () => {
        while (response.write('x'.repeat(10_000)));
        response.once('drain', more);
      };
      more();
    });
    const endless = await fetchText(site('/endless'), { maxBytes: 100_000, maxChars: 200_000 });
    expect(endless.text).toMatch(/^x{100000}\n\[The page is longer than what is read of one\.\]$/);

    serve('/bomb', 'text/plain', gzipSync(Buffer.alloc(20_000_000, 'y')), { 'content-encoding': 'gzip' });
    const bomb = await fetchText(site('/bomb'), { maxBytes: 100_000, maxChars: 200_000 });
    expect(bomb.text).toMatch(/^y{100000}\n\[The page is longer/);
  });

  it('gives up on a server that does not answer, and stops when it is interrupted', async () => {
    answers.set('/hang', () => undefined);
    expect((await fetchText(site('/hang'), { timeout: 200 })).text).toContain('within 0.2 s');
    answers.set(
      '/drip',
      (_, response) => void response.writeHead(200, { 'content-type': 'text/plain' }).write('a'),
    );
    expect((await fetchText(site('/drip'), { timeout: 200 })).text).toContain('within 0.2 s');
  });

  it('says what a server refuses', async () => {
    expect(await fetchText(site('/none'))).toMatchObject({
      state: 'error',
      text: expect.stringContaining('answered 404. nothing here') as string,
    });
  });

  it('follows redirects of the same host, a few, and tells of those to another', async () => {
    serve('/end', 'text/plain', 'arrived');
    redirect('/start', '/hop');
    redirect('/hop', site('/end'));
    redirect('/circle', '/circle');
    redirect('/away', `http://other.test:${port}/end`);
    expect((await fetchText(site('/start'))).text).toBe('arrived');
    expect((await fetchText(site('/circle'))).text).toContain('redirects more than 5 times');
    seen = [];
    const away = await fetchText(site('/away'), {
      allowPrivate: [`site.test:${port}`, `other.test:${port}`],
    });
    expect(away.text).toContain(`if you want to follow: http://other.test:${port}/end`);
    expect(seen).toEqual([`site.test:${port} /away`]);
  });

  it('reads a page that leaves tags out', async () => {
    serve('/loose', 'text/html', '<title>Loose</title><p>one<p>two');
    expect((await fetchText(site('/loose'))).text).toBe('Title: Loose\n\none\n\ntwo');
  });

  it('does not let a page keep it for long', async () => {
    serve('/deep', 'text/html', `${'<div>'.repeat(2_000)}bottom`);
    expect((await fetchText(site('/deep'))).text).toBe('bottom');
    const limits = { signal: new AbortController().signal, timeoutMs: 500 };
    const converting = convertPage('<div>'.repeat(200_000), new URL('http://site.test/'), limits);
    await expect(converting).rejects.toThrow('too intricate');
  });

  it('does not let a PDF that unpacks to hundreds of megabytes keep it, nor the rest of the process', async () => {
    const request = { name: 'bomb.pdf', bytes: aPdfBomb() };
    let turnsOfTheLoop = 0;
    const turning = setInterval(() => (turnsOfTheLoop += 1), 10);
    const reading = pdfText(request, { signal: new AbortController().signal, timeoutMs: 60_000 });
    await expect(reading).rejects.toMatchObject({
      message: 'bomb.pdf is too large or too intricate to be read as a PDF',
      cause: { cause: { message: expect.stringMatching(/^it took \d+ bytes$/) as string } },
    });
    clearInterval(turning);
    expect(turnsOfTheLoop).toBeGreaterThan(3);
    const brief = pdfText(request, { signal: new AbortController().signal, timeoutMs: 1 });
    await expect(brief).rejects.toThrow('too intricate');
    await expect(pdfText(request, { signal: AbortSignal.abort(new Error('interrupted')) })).rejects.toThrow(
      'interrupted',
    );
  });
});

describe('web_fetch reaches nothing private', () => {
  const attempts: [string, () => string, Record<string, string[][]>?][] = [
    ['an address of loopback', () => `http://127.0.0.1:${port}/`],
    ['its decimal form', () => `http://2130706433:${port}/`],
    ['its hexadecimal form', () => `http://0x7f000001:${port}/`],
    ['its octal form', () => `http://0177.0.0.1:${port}/`],
    ['its short form', () => `http://127.1:${port}/`],
    ['loopback of IPv6', () => `http://[::1]:${port}/`],
    ['a mapped address', () => `http://[::ffff:127.0.0.1]:${port}/`],
    ['a translated address', () => `http://[64:ff9b::7f00:1]:${port}/`],
    ['any address', () => `http://0.0.0.0:${port}/`],
    ['metadata of a cloud', () => 'http://169.254.169.254/latest/meta-data/'],
    ['a private address', () => 'http://192.168.0.1/'],
    ['full-width digits', () => `http://１２７.０.０.１:${port}/`],
    ['a name of loopback', () => `http://evil.test:${port}/`, { 'evil.test': [['127.0.0.1']] }],
    ['a name with a final dot', () => `http://evil.test.:${port}/`, { 'evil.test.': [['127.0.0.1']] }],
    [
      'one private address among public ones',
      () => `http://evil.test:${port}/`,
      { 'evil.test': [['93.184.216.34', '127.0.0.1']] },
    ],
    ['a name of IPv6', () => `http://evil.test:${port}/`, { 'evil.test': [['::ffff:7f00:1']] }],
    ['localhost', () => `http://localhost:${port}/`, { localhost: [['127.0.0.1']] }],
    ['a file', () => 'file:///etc/passwd'],
    ['another protocol', () => `gopher://127.0.0.1:${port}/`],
    ['a name and password', () => `http://user:pass@site.test:${port}/end`],
    ['a redirect to loopback', () => site('/to-loopback')],
    ['a redirect to metadata', () => site('/to-metadata')],
    ['a redirect to a file', () => site('/to-file')],
  ];

  it.each(attempts)('%s', async (_, url, table = {}) => {
    redirect('/to-loopback', `http://127.0.0.1:${port}/secret`);
    redirect('/to-metadata', 'http://169.254.169.254/latest/');
    redirect('/to-file', 'file:///etc/passwd');
    serve('/secret', 'text/plain', 'secret');
    serve('/', 'text/plain', 'secret');
    seen = [];
    const { state, text } = await fetchText(url(), {}, {}, { ...local, ...table });
    expect(state).toBe('error');
    expect(text).not.toMatch(/\bsecret\b/);
    expect(seen.filter((line) => !line.startsWith('site.test') || line.endsWith('/end'))).toEqual([]);
  });

  it('not even when a name changes its address between check and use', async () => {
    // The second answer would be taken by whoever resolves again in order to connect.
    const table = { ...local, 'rebind.test': [['93.184.216.34'], ['127.0.0.1']] };
    seen = [];
    const { state } = await fetchText(`http://rebind.test:${port}/`, { timeout: 300 }, {}, table);
    expect(state).toBe('error');
    expect(seen).toEqual([]);
  });

  it('connects to the address that was checked, and asks for it once', async () => {
    let lookups = 0;
    const counting = ((...args: Parameters<Resolve>) => {
      lookups += 1;
      return (names({ 'public.test': [['93.184.216.34']] }) as (...all: unknown[]) => unknown)(...args);
    }) as unknown as Resolve;
    const tool = webFetchOver(new WebConnection([], counting), { timeout: 300 });
    const hooks = { onText: () => undefined, onProgress: () => undefined };
    await runTool(tool, { url: 'http://public.test/' }, aCall(), hooks);
    expect(lookups).toBe(1);
  });
});

describe('the gate of web_fetch', () => {
  const tool = webFetch({ allow: ['docs.example.com', '*.good.org'] });
  const check = async (url: string) =>
    (await tool.checkPermission({ url }, { owner: 'acme', sessionId: 's1' }))?.behavior;

  it('asks for hosts, passes those that are allowed, and denies what it can not fetch', async () => {
    expect(await check('https://docs.example.com/x')).toBe('allow');
    expect(await check('https://www.good.org/')).toBe('allow');
    expect(await check('https://good.org.evil.com/')).toBe('ask');
    expect(await check('https://docs.example.com@evil.com/')).toBe('deny');
    expect(await check('http://10.0.0.1/')).toBe('deny');
    expect(await check('not an address')).toBe('deny');
  });

  it('reads rules as hosts, and suggests them', () => {
    const input = { url: 'https://api.example.com:8443/a?b=c' };
    expect(tool.matchRule?.(input, '*.example.com', 'allow')).toBe(true);
    expect(tool.matchRule?.(input, 'example.com', 'allow')).toBe(false);
    expect(tool.suggestRules?.(input)).toEqual([
      { tool: 'web_fetch', pattern: 'api.example.com:8443', behavior: 'allow' },
      { tool: 'web_fetch', behavior: 'allow' },
    ]);
  });
});
