// npm run test:mcp-conformance: the official suite against our MCP client and server. Ends with 1 when something fails that is not expected.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const suite = here('../../../node_modules/@modelcontextprotocol/conformance/dist/index.js');
const node = `${process.execPath} --disable-warning=ExperimentalWarning`;
const baseline = here('expected-failures.yml');

interface Finished {
  code: number;
  output: string;
}

// The suite writes its results into the folder that it runs in.
const cwd = await mkdtemp(join(tmpdir(), 'durascope-conformance-'));
const scenarios = [...(await run(['list', '--client'])).output.matchAll(/^ {2}- (\S+)/gm)].map(
  ([, name = '']) => name,
);
const results: string[] = [];
let isFine = true;
for (const scenario of scenarios)
  note(
    `client ${scenario}`,
    await run([
      'client',
      '--command',
      `${node} ${here('client.ts')}`,
      '--scenario',
      scenario,
      '--timeout',
      '60000',
      '--expected-failures',
      baseline,
    ]),
  );

const server = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', here('server.ts')], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [hello] = (await once(server.stdout, 'data')) as [Buffer];
note(
  'server, all scenarios',
  await run(['server', '--url', hello.toString().trim(), '--expected-failures', baseline]),
);
server.kill();
await rm(cwd, { recursive: true, force: true });
console.log(results.join('\n'));
process.exitCode = isFine ? 0 : 1;

function note(what: string, { code, output }: Finished): void {
  const passed = /Passed: (\d+\/\d+)[^\n]*/.exec(output)?.[0] ?? '';
  const totals = /Total: [^\n]*/.exec(output)?.[0] ?? '';
  results.push(`${code === 0 ? 'ok  ' : 'FAIL'} ${what}: ${totals || passed}`);
  if (code === 0) return;
  isFine = false;
  console.error(output);
}

function run(args: readonly string[]): Promise<Finished> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [suite, ...args],
      { cwd, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: stdout + stderr }),
    );
  });
}
