import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { defineConfig } from '../../src/agents/define-config.ts';
import { defineMcpServer } from '../../src/mcp/define-mcp-server.ts';
import { mcpServer } from '../../src/mcp/mcp-source.ts';
import { toServer } from '../../src/mcp/mcp-file.ts';
import { credentialsOf } from '../../src/mcp/credentials.ts';
import { readAnswer } from '../../src/mcp/elicitation.ts';
import type { McpServerOptions } from '../../src/mcp/server.ts';
import { mcpToolName } from '../../src/mcp/tool-names.ts';
import { checkMcpNames } from '../../src/worker/check-mcp-names.ts';

const wrong: [string, object, RegExp][] = [
  ['no name', { command: 'x' }, /name: write a short name/],
  ['a name with two underscores', { name: 'a__b', command: 'x' }, /single _/],
  ['neither command nor url', { name: 'a' }, /either a command or a url/],
  ['both', { name: 'a', command: 'x', url: 'http://x' }, /either a command or a url/],
  ['headers of a program', { name: 'a', command: 'x', headers: {} }, /belongs to a server with a url/],
  ['a cwd of an address', { name: 'a', url: 'http://x', cwd: '/' }, /belongs to a server with a command/],
  ['an address that is none', { name: 'a', url: 'ftp://x' }, /url: write an address/],
  [
    'a user and password in an address',
    { name: 'a', url: 'http://me:s3cret@x' },
    /url: it has a user or password in it.*`headers`\.$/,
  ],
  ['an unknown option', { name: 'a', command: 'x', trusted: true }, /Did you mean trust\?/],
  [
    'a tool that is allowed and denied',
    { name: 'a', command: 'x', allow: ['t'], deny: ['t'] },
    /t is in allow as well/,
  ],
  ['sampling without a limit', { name: 'a', command: 'x', sampling: { maxCalls: 1 } }, /sampling.maxTokens/],
  [
    'a service account without a secret',
    { name: 'a', url: 'http://x', oauth: { grant: 'client_credentials', clientId: 'c' } },
    /clientSecret or a privateKey/,
  ],
];

describe('the definition of an MCP server', () => {
  it.each(wrong)('refuses %s', (_what, options, message) => {
    expect(() => defineMcpServer(options as McpServerOptions)).toThrow(message);
  });

  it('takes an address that ends in /sse for the old transport', () => {
    expect(defineMcpServer({ name: 'a', url: 'http://x/sse' }).transport.kind).toBe('sse');
    expect(defineMcpServer({ name: 'a', url: 'http://x/mcp' }).transport.kind).toBe('http');
    expect(defineMcpServer({ name: 'a', url: 'http://x/sse', transport: 'http' }).transport.kind).toBe(
      'http',
    );
  });

  it('fills variables of a file in when a connection is made, and says which is missing', async () => {
    const server = toServer(
      'crm',
      { url: 'http://x', headers: { authorization: 'Bearer ${TOKEN}' } },
      { TOKEN: 'tok-123456' },
    );
    const found = await credentialsOf(server, 'acme');
    expect(found.headers).toEqual({ authorization: 'Bearer tok-123456' });
    expect(found.secrets).toContain('tok-123456');
    expect(found.key).not.toContain('tok');
    const missing = toServer('crm', { url: 'http://x', headers: { authorization: '${NONE}' } }, {});
    await expect(credentialsOf(missing, 'acme')).rejects.toThrow(/environment variable NONE is not set/);
  });
});

describe('an agent that names a server', () => {
  const agent = (name: string) =>
    defineAgent({ name: 'coder', model: 'openai/x', instructions: 'Be brief.', sources: [mcpServer(name)] });

  it('needs it to be defined', () => {
    const { mcp = [] } = defineConfig({ agents: [agent('files')], mcp: [{ name: 'files', command: 'x' }] });
    expect(() => checkMcpNames([agent('files')], mcp)).not.toThrow();
    expect(() => checkMcpNames([agent('file')], mcp)).toThrow(/Did you mean files\?.*durascope mcp add file/);
  });

  it('gets an error for two servers of one name', () => {
    const twice = [
      { name: 'files', command: 'x' },
      { name: 'files', command: 'y' },
    ];
    expect(() => defineConfig({ agents: [agent('files')], mcp: twice })).toThrow(
      /two servers are named files/,
    );
  });
});

describe('the names of tools', () => {
  it('say whose they are, and are as endpoints take them', () => {
    expect(mcpToolName('files', 'read_file')).toBe('mcp__files__read_file');
    expect(mcpToolName('files', 'read.file')).toMatch(/^mcp__files__read_file_[0-9a-f]{8}$/);
    expect(mcpToolName('files', 'read.file')).not.toBe(mcpToolName('files', 'read/file'));
    const long = mcpToolName('files', 'a'.repeat(100));
    expect(long).toMatch(/^mcp__files__a+_[0-9a-f]{8}$/);
    expect(long.length).toBe(64);
  });
});

describe('a person’s answer to a server', () => {
  const answers: [string, object, string, object][] = [
    ['one text', { name: { type: 'string' } }, 'Ada', { content: { name: 'Ada' } }],
    ['a number', { n: { type: 'integer' } }, '42', { content: { n: 42 } }],
    ['yes', { ok: { type: 'boolean' } }, 'true', { content: { ok: true } }],
    ['a choice', { c: { type: 'string', enum: ['a', 'b'] } }, 'b', { content: { c: 'b' } }],
    [
      'several choices',
      { c: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } } },
      'a, b',
      { content: { c: ['a', 'b'] } },
    ],
    [
      'several fields',
      { a: { type: 'string' }, n: { type: 'number' } },
      '{"a":"x","n":1.5}',
      { content: { a: 'x', n: 1.5 } },
    ],
    [
      'no such choice',
      { c: { type: 'string', enum: ['a'] } },
      'z',
      { problem: expect.stringContaining('of a') },
    ],
    ['no number', { n: { type: 'integer' } }, '1.5', { problem: expect.stringContaining('integer') }],
    [
      'an unknown field',
      { a: { type: 'string' } },
      '{"b":1}',
      { problem: expect.stringContaining('There is no field b') },
    ],
    [
      'text for several',
      { a: { type: 'string' }, b: { type: 'string' } },
      'x',
      { problem: expect.stringContaining('no JSON object') },
    ],
  ];

  it.each(answers)('is read: %s', (_what, fields, answer, read) => {
    expect(readAnswer(fields as never, answer)).toEqual(read);
  });
});
