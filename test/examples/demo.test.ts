import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DatabaseSync } from '../../src/store/node-sqlite.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durascope-demo-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Runs a command of the README. In a group of its own, so that a Ctrl-C can be sent as a terminal sends it: to all of the group. */
function startScript(script: string, ...args: string[]) {
  const { OPENAI_API_KEY: _, OPENAI_BASE_URL: __, TEMPORAL_ADDRESS: ___, ...env } = process.env;
  const child = spawn('npm', ['run', script, '--', '--dir', folder, ...args], {
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { promise: ended, resolve } = Promise.withResolvers<number | null>();
  child.once('exit', resolve);
  let output = '';
  let onOutput = (): void => {};
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      onOutput();
    });
  return {
    ended,
    output: () => output,
    /** Resolves when it has printed that, or ended. */
    async hasPrinted(text: string): Promise<void> {
      const printed = new Promise<void>((found) => {
        onOutput = () => output.includes(text) && found();
        onOutput();
      });
      await Promise.race([ended, printed]);
      expect(output).toContain(text);
    },
    pressCtrlC: () => process.kill(-(child.pid ?? 0), 'SIGINT'),
  };
}

function shopRows(query: string): Record<string, unknown>[] {
  const shop = new DatabaseSync(join(folder, 'shop.db'), { readOnly: true });
  try {
    return shop.prepare(query).all();
  } finally {
    shop.close();
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

// The first run of a fresh clone builds the package.
describe('npm run demo', { timeout: 180_000 }, () => {
  it('loses its worker in the middle of a refund, ends its turn, and has made the refund once', async () => {
    const demo = startScript('demo', '--yes');
    const exitCode = await demo.ended;
    const output = demo.output();
    expect(exitCode, output).toBe(0);

    expect(output).toContain('scripted, because OPENAI_API_KEY is not set');
    expect(output).toMatch(/Admin page http:\/\/127\.0\.0\.1:\d+\//);
    expect(output).toContain('SIGKILL to worker 1');
    expect(output).toContain('refund_order, attempt 2');
    expect(output).toContain('turn ended: model_stop');
    expect(output).toMatch(/The refund of order \d+ was made exactly once\./);
    expect(output).toMatch(/Temporal Web: http:\/\/\S+\/workflows\/turn%2Fdemo%2F/);

    const refunds = shopRows('SELECT order_id FROM refunds');
    expect(refunds).toHaveLength(1);
    const requests = shopRows('SELECT DISTINCT idempotency_key, worker_pid FROM refund_requests');
    expect(new Set(requests.map((row) => row['worker_pid'])).size).toBe(2);
    expect(new Set(requests.map((row) => row['idempotency_key'])).size).toBe(1);
    expect(requests.some((row) => isAlive(Number(row['worker_pid'])))).toBe(false);
  });

  it('says how to approve where it has no terminal to ask in, and leaves nothing running after Ctrl-C', async () => {
    const demo = startScript('demo');
    await demo.hasPrinted('--name confirm --input');
    const server = Number((await readFile(join(folder, 'temporal', 'temporal.pid'), 'utf8')).split(' ')[0]);
    const worker = Number(/Worker 1 +process (\d+)/.exec(demo.output())?.[1]);
    expect([isAlive(server), isAlive(worker)]).toEqual([true, true]);

    demo.pressCtrlC();
    await demo.ended;
    expect(demo.output()).toContain('Stopping. The turn is kept');
    expect([isAlive(server), isAlive(worker)]).toEqual([false, false]);
    expect(shopRows('SELECT * FROM refunds')).toEqual([]);
  });
});

describe('npm run example:team', { timeout: 180_000 }, () => {
  it('has a leader answer with what three workers report, one of them once a person has approved its call', async () => {
    const example = startScript('example:team', '--yes');
    const exitCode = await example.ended;
    const output = example.output();
    expect(exitCode, output).toBe(0);
    expect(output).toContain('scripted, because OPENAI_API_KEY is not set');
    expect(output).toMatch(/buy_report waits for a person/);
    expect(output).toMatch(/editor › bea │ allow by demo --yes/);
    for (const name of ['sol', 'will', 'bea']) {
      expect(output).toMatch(new RegExp(`editor │ hears from ${name}:`));
      expect(output).toMatch(new RegExp(`session/demo/energy-\\w+\\.${name}`));
    }
    expect(output).toContain('The town should build the wind turbine.');
  });
});

describe('npm run example:coder', { timeout: 180_000 }, () => {
  it('has an agent write a program in its workspace, see a test fail, mend it, and ask before it runs it', async () => {
    const example = startScript('example:coder', '--yes');
    const exitCode = await example.ended;
    const output = example.output();
    expect(exitCode, output).toBe(0);
    expect(output).toMatch(/✗ bash bash failed: the command ended with exit code 1\./);
    expect(output).toMatch(/✓ edit Changed slug\.mjs in one place\./);
    expect(output).toMatch(/bash waits for a person/);
    expect(output).toContain('✓ bash durable-agents-at-last');
    expect(output).toContain('Snapshots of the workspace: before turn 1');
  });
});
