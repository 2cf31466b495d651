import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startProtected, type Protected } from '../mcp/support/authorization-server.ts';
import { packageServer } from '../mcp/support/load.ts';
import { runCli, startCli } from './cli-process.ts';

let cwd: string;
let site: Protected;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'durascope-cli-'));
  site = await startProtected();
});
afterAll(async () => {
  await site.close();
  await rm(cwd, { recursive: true, force: true });
});

const cli = (...args: string[]) => runCli(['mcp', ...args], { cwd, env: { CRM_TOKEN: 'unused' } });

describe('durascope mcp', () => {
  it('adds servers to a file that only its owner reads, lists them, and says what can’t be', async () => {
    const { command, args } = packageServer('memory');
    const added = await cli('add', 'memory', '--deny', 'delete_entities', '--', command, ...args);
    expect(added).toMatchObject({ code: 0 });
    expect(added.stdout).toMatch(/added memory to .*mcp\.json\n.*durascope mcp test memory/);
    expect(await cli('add', 'crm', '--url', site.url, '--oauth')).toMatchObject({ code: 0 });
    const file = join(cwd, '.durascope', 'mcp.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
      servers: {
        memory: { command, deny: ['delete_entities'] },
        crm: { oauth: { grant: 'authorization_code' } },
      },
    });
    const listed = JSON.parse((await cli('list', '--json')).stdout) as object[];
    expect(listed).toMatchObject([
      { name: 'memory', kind: 'stdio', from: 'mcp.json' },
      { name: 'crm', kind: 'http', address: site.url },
    ]);
    const asHeader = (value: string) => ['--url', site.url, '--header', `Authorization: ${value}`];
    const [both, twice, broken, literal] = await Promise.all([
      cli('add', 'both', '--url', site.url, '--', command),
      cli('add', 'crm', '--url', 'http://127.0.0.1:1/mcp'),
      cli('add', 'crm3', ...asHeader('a\nX-Role: admin')),
      cli('add', 'crm2', ...asHeader('Bearer abc')),
    ]);
    expect(both).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('write either a command or a url') as string,
    });
    expect(twice).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('has a server crm already: choose another name') as string,
    });
    expect(broken).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('headers.Authorization: no such header can be sent') as string,
    });
    expect(literal.stderr).toContain('holds a secret as it is: write it as ${VARIABLE}');

    const again = await cli('add', 'crm2', '--force', '--env', 'API_KEY=sk-1', '--', command);
    expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('holds a secret') as string });
  });

  it('tests a server: its tools, what they do without a rule, or what is wrong', async () => {
    const [works, unknown, signedOut] = await Promise.all([
      cli('test', 'memory'),
      cli('test', 'memry'),
      cli('test', 'crm'),
    ]);
    expect(works).toMatchObject({ code: 0 });
    expect(works.stdout).toMatch(/^memory works: .*, \d+ tools/);
    expect(works.stdout).toMatch(/mcp__memory__read_graph +asks/);
    expect(works.stdout).toMatch(/mcp__memory__delete_entities +left out/);
    expect(unknown).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Did you mean memory?') as string,
    });
    expect(signedOut).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/crm does not work: .*run "durascope mcp auth crm/) as string,
    });
  });

  it('gives an agent the tools of a server that it names', async () => {
    const index = new URL('../../src/index.ts', import.meta.url).href;
    await writeFile(
      join(cwd, 'durascope.config.ts'),
      `import { defineAgent, defineConfig, mcpServer } from '${index}';
const coder = defineAgent({ name: 'coder', model: 'openai/gpt-test', instructions: 'Be brief.', sources: [mcpServer('memory')] });
export default defineConfig({ agents: [coder] });
`,
    );
    const { code, stdout } = await runCli(['tools', 'coder', '--json'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain('mcp__memory__read_graph');
    expect(stdout).not.toContain('mcp__memory__delete_entities');
  });

  it('signs an owner in through the browser, and keeps the tokens encrypted', async () => {
    const running = startCli(['mcp', 'auth', 'crm', '--no-browser', '--owner', 'acme'], { cwd });
    const address = await running.waitFor(/Sign in at:\s+(http\S+)/);
    expect((await fetch(address)).status).toBe(200);
    const { code, stdout } = await running.finished;
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'owner acme is signed in at crm\n' });
    const tested = await cli('test', 'crm', '--owner', 'acme', '--json');
    expect(JSON.parse(tested.stdout)).toMatchObject({
      tools: [{ name: 'mcp__crm__whoami', permission: 'asks' }],
    });
    expect((await stat(join(cwd, '.durascope', 'secret.key'))).mode & 0o777).toBe(0o600);
  });
});
