import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { McpServerOptions } from '../../src/mcp/server.ts';
import { OutcomeUnknownError } from '../../src/tools/outcome-unknown.ts';
import type { ToolProgress } from '../../src/tools/tool.ts';
import { testScope } from '../support/worker-scope.ts';
import { benchOf, packageServer, textOf, type Bench } from './support/load.ts';

const worker = testScope();
let folder: string;
let http: ChildProcess;
let httpUrl: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durascope-mcp-'));
  const port = await freePort();
  const { command, args } = packageServer('everything', 'streamableHttp');
  http = spawn(command, args, {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await answering(port);
  httpUrl = `http://localhost:${port}/mcp`;
});
afterAll(async () => {
  await worker.close();
  http.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

const everything: [string, () => McpServerOptions][] = [
  ['stdio', () => ({ name: 'everything', ...packageServer('everything'), trust: true })],
  ['streamable HTTP', () => ({ name: 'everything', url: httpUrl, trust: true })],
];

describe.each(everything)('server-everything over %s', (_kind, options) => {
  let bench: Bench;
  beforeAll(() => {
    bench = benchOf(worker, options(), { roots: [folder] });
  });

  it('has its tools under names that say whose they are, and readers for its resources and prompts', async () => {
    const names = await bench.names();
    expect(names).toContain('mcp__everything__echo');
    expect(names).toContain('mcp__everything__read_resource');
    expect(names).toContain('mcp__everything__get_prompt');
    expect(names).not.toContain('mcp__everything__trigger-sampling-request');
    expect(names).not.toContain('mcp__everything__trigger-elicitation-request');
  });

  it('runs a tool', async () => {
    expect(await bench.text('get-sum', { a: 2, b: 40 })).toContain('42');
  });

  it('checks arguments before the server sees them', async () => {
    await expect(bench.call('get-sum', { a: 'two' })).rejects.toThrow(/b is missing|a must be number/);
  });

  it('maps images, links and embedded resources', async () => {
    const image = await bench.call('get-tiny-image');
    expect(image.parts.map((part) => (part.type === 'data' ? part.mediaType : part.type))).toContain(
      'image/png',
    );
    expect(await bench.text('get-resource-links', { count: 2 })).toMatch(/\[Resource .*: demo:\/\/resource/);
    expect(await bench.text('get-resource-reference', { resourceType: 'Text', resourceId: 1 })).toMatch(
      /demo:\/\/resource\/dynamic\/text\/1:\n/,
    );
  });

  it('takes structured content that fits its schema', async () => {
    const { state, parts } = await bench.call('get-structured-content', { location: 'New York' });
    expect(state).toBe('success');
    expect(JSON.stringify(parts)).toContain('temperature');
  });

  it('passes progress on', async () => {
    const progress: ToolProgress[] = [];
    const outcome = await bench.call(
      'trigger-long-running-operation',
      { duration: 0.4, steps: 2 },
      {},
      { onProgress: (update) => progress.push(update) },
    );
    expect(outcome.state).toBe('success');
    // The last one comes with the result, and the SDK then listens no more.
    expect(progress[0]).toMatchObject({ fraction: 0.5 });
  });

  it('reads resources and prompts', async () => {
    const list = JSON.parse(await bench.text('list_resources')) as { resources: { uri: string }[] };
    expect(list.resources.length).toBeGreaterThan(0);
    expect(await bench.text('read_resource', { uri: list.resources[0]!.uri })).toContain(
      list.resources[0]!.uri,
    );
    expect(await bench.text('list_prompts')).toContain('args-prompt');
    expect(await bench.text('get_prompt', { name: 'args-prompt', arguments: { city: 'Bern' } })).toContain(
      'Bern',
    );
  });

  it('turns an error of the server into one that the model reads', async () => {
    const outcome = await bench.call('read_resource', { uri: 'demo://nothing' });
    expect(outcome.state).toBe('error');
    expect(textOf(outcome)).toMatch(/not found|-326/i);
  });

  it('tells the agent’s working directories to a server that asks for roots', async () => {
    await expect.poll(() => bench.names()).toContain('mcp__everything__get-roots-list');
    expect(await bench.text('get-roots-list')).toContain(folder);
  });
});

describe('server-everything over the legacy transport', () => {
  it('runs a tool, and says that its outcome is unknown when the server dies in mid-call', async () => {
    const port = await freePort();
    const { command, args } = packageServer('everything', 'sse');
    const legacy = spawn(command, args, {
      env: { ...process.env, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    await answering(port);
    const bench = benchOf(worker, { name: 'legacy', url: `http://localhost:${port}/sse` });
    expect(await bench.text('echo', { message: 'hi' })).toContain('hi');
    const call = bench.call(
      'trigger-long-running-operation',
      { duration: 60, steps: 120 },
      {},
      { onProgress: () => legacy.kill('SIGKILL') },
    );
    await expect(call).rejects.toThrow(OutcomeUnknownError);
  });
});

describe('what a server asks back', () => {
  const asking = () =>
    benchOf(worker, { name: 'everything', ...packageServer('everything'), elicitation: true });

  it('reaches a person through the call, who answers, declines, or is not there', async () => {
    const bench = asking();
    const asked: string[] = [];
    const answerWith = (
      answer: Awaited<ReturnType<NonNullable<Parameters<Bench['call']>[3]>['onAsk'] & object>>,
    ) =>
      bench.call(
        'trigger-elicitation-request',
        {},
        {},
        {
          onAsk: async (question) => {
            asked.push(question.question);
            return asked.length === 1 ? { kind: 'answered', answer: 'not JSON' } : answer;
          },
        },
      );
    const accepted = await answerWith({ kind: 'answered', answer: '{"name": "Ada", "integer": 7}' });
    expect(textOf(accepted)).toMatch(/Name: Ada/);
    expect(textOf(accepted)).toMatch(/Favorite Integer: 7/);
    expect(asked[1]).toMatch(/^That is no JSON object/);
    expect(textOf(await answerWith({ kind: 'denied' }))).toMatch(/declined/);
    expect(textOf(await answerWith({ kind: 'nobody' }))).toMatch(/cancelled/);
  });
});

describe('server-filesystem', () => {
  it('works in its folder', async () => {
    await writeFile(join(folder, 'note.txt'), 'hello from a file');
    const bench = benchOf(worker, { name: 'files', ...packageServer('filesystem', folder), trust: true });
    expect(await bench.text('read_text_file', { path: join(folder, 'note.txt') })).toContain(
      'hello from a file',
    );
    const { tools } = await bench.load();
    const byName = new Map(tools.map((tool) => [tool.name, tool]));
    expect(byName.get('mcp__files__read_text_file')?.isReadOnly({})).toBe(true);
    expect(byName.get('mcp__files__write_file')?.isReadOnly({})).toBe(false);
  });

  it('is not believed when it is not trusted', async () => {
    const bench = benchOf(worker, {
      name: 'files',
      ...packageServer('filesystem', folder),
      permission: 'allow',
    });
    const { tools } = await bench.load();
    const verdictOf = async (name: string) =>
      (
        await tools
          .find((tool) => tool.name === `mcp__files__${name}`)
          ?.checkPermission({}, { owner: 'a', sessionId: 's' })
      )?.behavior;
    expect(tools.some((tool) => tool.isReadOnly({}))).toBe(false);
    expect(await verdictOf('read_text_file')).toBe('allow');
    expect(await verdictOf('write_file')).toBe('ask');
  });

  it('has only the tools that are taken, and says which of them it lacks', async () => {
    const bench = benchOf(worker, {
      name: 'files',
      ...packageServer('filesystem', folder),
      allow: ['read_text_file', 'write_file', 'fly'],
    });
    const { tools, notice } = await bench.load();
    expect(tools.map(({ name }) => name).toSorted()).toEqual([
      'mcp__files__read_text_file',
      'mcp__files__write_file',
    ]);
    expect(notice).toContain('it has no tool fly');
  });
});

describe('server-memory', () => {
  it('keeps what it is told, and its file is the one that its environment names', async () => {
    const file = join(folder, 'memory.jsonl');
    const bench = benchOf(worker, {
      name: 'memory',
      ...packageServer('memory'),
      env: { MEMORY_FILE_PATH: file },
    });
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['likes tea'] }];
    expect((await bench.call('create_entities', { entities })).state).toBe('success');
    expect(await bench.text('read_graph')).toContain('likes tea');
    expect(await readFile(file, 'utf8')).toContain('Ada');
  });
});

/** Resolves when something listens there. */
function answering(port: number): Promise<void> {
  return vi.waitFor(
    async () => {
      await (await fetch(`http://localhost:${port}/`)).body?.cancel();
    },
    { timeout: 20_000, interval: 50 },
  );
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
