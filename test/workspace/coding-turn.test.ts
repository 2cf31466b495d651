import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { glob, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { spawnTied } from '../../src/embedded/tied-process.ts';
import { openWorker, placeOf, type OpenWorker } from '../faults/open-worker.ts';
import { startStack, type Stack } from '../support/stack.ts';
import { coderAgent } from './coder-agent.ts';

const workerProcess = fileURLToPath(new URL('worker-process.ts', import.meta.url));

let folder: string;
let root: string;
let stack: Stack;
let survivor: OpenWorker | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coding-turn-'));
  root = join(folder, 'workspaces');
  stack = await startStack({ agents: [coderAgent(root)], isStarted: false });
});
afterAll(async () => {
  await survivor?.stop();
  await stack.stop();
  await rm(folder, { recursive: true, force: true });
});

async function fileNamed(name: string): Promise<string> {
  for (;;) {
    for await (const path of glob(join(root, '*', '*', name))) return path;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function isRunning(mark: string): boolean {
  return execFileSync('ps', ['-eo', 'args'])
    .toString()
    .split('\n')
    .some((line) => line === `sleep ${mark}`);
}

describe('a turn in a workspace', () => {
  it(
    'edits, asks before a command, loses its worker in it, and goes on in another',
    { timeout: 120_000 },
    async () => {
      const mark = `36${process.pid}.1`;
      const { model } = stack;
      const place = placeOf(stack);
      model
        .calls('write', { path: 'notes.txt', content: 'one\ntwo\n' })
        .calls('read', { path: 'notes.txt' })
        .calls('edit', { path: 'notes.txt', oldText: 'two', newText: 'three' })
        .calls('bash', { command: `touch started; (trap '' TERM; sleep ${mark}; true) & wait` })
        .says('All done.');
      const victim = spawnTied(process.execPath, [workerProcess, JSON.stringify({ place, root })], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(victim.stdout!, 'data');

      const session = stack.session(coderAgent(root));
      const turn = await session.submit('Change the notes');
      const [asked] = (await turn.result()).pending;
      expect(asked).toMatchObject({ name: 'bash', state: 'asking' });
      await session.confirm([{ callId: asked!.callId, decision: 'allow' }]);
      await fileNamed('started');
      while (!isRunning(mark)) await new Promise((resolve) => setTimeout(resolve, 50));
      victim.kill('SIGKILL');
      await once(victim, 'exit');
      while (isRunning(mark)) await new Promise((resolve) => setTimeout(resolve, 50));

      survivor = await openWorker(place, { agents: [coderAgent(root)] });
      const [uncertain] = (await turn.result()).pending;
      expect(uncertain).toMatchObject({ name: 'bash', state: 'uncertain' });
      await session.reconcile([{ callId: uncertain!.callId, outcome: 'happened', reason: 'looked' }]);
      expect(await turn.result({ until: 'end' })).toMatchObject({ text: 'All done.' });

      expect(await readFile(await fileNamed('notes.txt'), 'utf8')).toBe('one\nthree\n');
      const results =
        model.requests
          .at(-1)
          ?.results()
          .map(({ text }) => text) ?? [];
      expect(results[0]).toContain('Wrote notes.txt, which is new');
      expect(results[1]).toBe('     1\tone\n     2\ttwo');
      expect(results[2]).toContain('-two\n+three');
      expect(model.requests[0]?.system).toContain('Your workspace is the folder');
    },
  );

  it('says so when the folder was lost before the next turn', { timeout: 60_000 }, async () => {
    await rm(root, { recursive: true });
    stack.model.says('I see.');
    const turn = await stack.session(coderAgent(root)).submit('Go on');
    await turn.result({ until: 'end' });
    const seen = stack.model.requests
      .at(-1)
      ?.messages.map(({ text }) => text)
      .join('\n');
    expect(seen).toContain('files that were made or changed earlier are lost');
  });
});
