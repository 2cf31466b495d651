import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** What a running `durascope dev` tells other commands of the same folder. */
const DevRecord = z.object({
  pid: z.number().int(),
  address: z.string(),
  uiUrl: z.string().optional(),
  apiUrl: z.string().optional(),
  namespace: z.string(),
  store: z.string(),
  taskQueue: z.string(),
  /** Names of the agents that it runs. */
  agents: z.array(z.string()),
});
export type DevRecord = z.infer<typeof DevRecord>;

/** Undefined when none runs: a record whose process is gone counts for nothing. */
export function readDevRecord(stateDir: string): DevRecord | undefined {
  try {
    const record = DevRecord.parse(JSON.parse(readFileSync(fileIn(stateDir), 'utf8')));
    return isAlive(record.pid) ? record : undefined;
  } catch {
    return undefined;
  }
}

/** For this user's eyes only: the store's url may hold a password. */
export function writeDevRecord(stateDir: string, record: DevRecord): void {
  mkdirSync(stateDir, { recursive: true });
  writeFileSync(fileIn(stateDir), `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
}

export function removeDevRecord(stateDir: string): void {
  rmSync(fileIn(stateDir), { force: true });
}

function fileIn(stateDir: string): string {
  return join(stateDir, 'dev.json');
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
