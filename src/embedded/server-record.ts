import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { EmbeddedTemporalError } from './embedded-error.ts';

const execFileAsync = promisify(execFile);
const graceMs = 5_000;

/** Notes which server uses the folder, for the start after a crash of this process. */
export async function recordServer(dataDir: string, pid: number): Promise<void> {
  await writeFile(recordFile(dataDir), `${pid} ${process.pid}\n`);
}

/**
 * Makes sure that no server uses the folder: two on one SQLite file would spoil each other's writes. One whose starter died is ended; one
 * whose starter lives is an error.
 */
export async function claimDataFolder(dataDir: string): Promise<void> {
  const [pid, starter] = await readRecord(dataDir);
  if (pid === undefined || starter === undefined) return;
  const server = await describeProcess(pid);
  // The id may belong to another program by now.
  if (server === undefined || !server.command.includes(join(dataDir, 'temporal.db'))) return;
  if (server.parent === starter) {
    throw new EmbeddedTemporalError(
      'data_in_use',
      `${dataDir} is in use by the Temporal server of process ${starter}. Stop that process, or choose another data folder.`,
    );
  }
  await endByPid(pid);
}

async function readRecord(dataDir: string): Promise<number[]> {
  const text = await readFile(recordFile(dataDir), 'utf8').catch(() => '');
  return text.trim().split(' ').filter(Boolean).map(Number);
}

function recordFile(dataDir: string): string {
  return join(dataDir, 'temporal.pid');
}

async function describeProcess(pid: number): Promise<{ parent: number; command: string } | undefined> {
  try {
    if (process.platform === 'linux') {
      // Not every Linux has ps.
      const status = await readFile(`/proc/${pid}/status`, 'utf8');
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8');
      return { parent: Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]), command };
    }
    const { stdout } = await execFileAsync('ps', ['-ww', '-o', 'ppid=,command=', '-p', String(pid)]);
    const [parent = '', ...command] = stdout.trim().split(/\s+/);
    return { parent: Number(parent), command: command.join(' ') };
  } catch {
    return undefined;
  }
}

async function endByPid(pid: number): Promise<void> {
  process.kill(pid, 'SIGTERM');
  const deadline = Date.now() + graceMs;
  while (isAlive(pid)) {
    if (Date.now() > deadline) process.kill(pid, 'SIGKILL');
    await delay(50);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
