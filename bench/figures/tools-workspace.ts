import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bubblewrapBackend } from '../../src/workspace/bubblewrap-backend.ts';
import { localBackend } from '../../src/workspace/local-backend.ts';
import type { Workspace, WorkspaceBackend } from '../../src/workspace/workspace.ts';
import { startChild } from '../support/child.ts';
import type { Row } from '../support/figure.ts';
import { interleaved, median } from '../support/statistics.ts';

const bashProcess = fileURLToPath(new URL('../support/bash-process.ts', import.meta.url));

/** What commands in a workspace cost the worker. */
export async function workspaceFigures(isQuick: boolean): Promise<Row[]> {
  const root = await mkdtemp(join(tmpdir(), 'bench-workspaces-'));
  try {
    return [await memoryOfOutput(root, isQuick), await startOfSandbox(root, isQuick)];
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function memoryOfOutput(root: string, isQuick: boolean): Promise<Row> {
  const megabytes = isQuick ? 5 : 100;
  const child = await startChild(bashProcess, { root }, { execArgv: ['--expose-gc'] });
  // Code is compiled and pools fill.
  await child.call('growth', 5);
  const { growth } = await child.call<{ growth: number }>('growth', megabytes);
  await child.stop();
  return {
    figure: `highest growth of a process while bash writes ${megabytes} MB`,
    unit: 'MB',
    measured: growth,
    target: { atMost: 20 },
  };
}

async function startOfSandbox(root: string, isQuick: boolean): Promise<Row> {
  const open = (backend: WorkspaceBackend) => backend.open({ owner: 'bench', sessionId: 's1' });
  const [plain, sandbox] = [await open(localBackend({ root })), await open(bubblewrapBackend({ root }))];
  await timeOf(plain);
  await timeOf(sandbox);
  const times = await interleaved(isQuick ? 3 : 100, {
    sandbox: () => timeOf(sandbox),
    plain: () => timeOf(plain),
  });
  return {
    figure: `a command in Bubblewrap over the same one without (${median(times.plain).toFixed(0)} ms)`,
    unit: 'ms',
    measured: median(times.sandbox.map((time, round) => time - (times.plain[round] ?? Number.NaN))),
    target: { atMost: 60 },
  };
}

async function timeOf(workspace: Workspace): Promise<number> {
  const begin = performance.now();
  const limits = { timeoutMs: 60_000, signal: new AbortController().signal };
  // Its output is not looked at, its end is waited for.
  for await (const _ of workspace.exec({ argv: ['true'] }, limits));
  return performance.now() - begin;
}
