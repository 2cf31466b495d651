import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { SessionRef } from '../../src/contracts/ids.ts';

/** Appends events to turn 1 of the session from a second process; resolves when it has ended well. */
export async function writeFromAnotherProcess(url: string, ref: SessionRef, count: number): Promise<void> {
  const script = fileURLToPath(new URL('write-events.ts', import.meta.url));
  const child = spawn(process.execPath, [script, url, ref.owner, ref.sessionId, String(count)], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`the other process ended with ${code}`);
}
