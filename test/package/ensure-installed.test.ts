import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const script = fileURLToPath(new URL('../../scripts/ensure-installed.mjs', import.meta.url));
const lock = {
  packages: {
    '': {},
    'node_modules/zod': { version: '4.0.0' },
    'node_modules/for-windows': { version: '1.0.0', optional: true },
  },
};
const installed = { packages: { 'node_modules/zod': { version: '4.0.0' } } };

describe('ensure-installed', () => {
  let project: string;
  beforeEach(() => {
    project = mkdtempSync(join(tmpdir(), 'durascope-install-'));
    mkdirSync(join(project, 'scripts'));
    copyFileSync(script, join(project, 'scripts/ensure-installed.mjs'));
    write('package-lock.json', lock);
  });
  afterEach(() => rmSync(project, { recursive: true, force: true }));

  it('installs the locked dependencies where node_modules is absent, and says one line', () => {
    npmThatInstalls(installed);
    expect(run()).toEqual({ status: 0, said: 'installing the locked dependencies (npm ci) …\n' });
    expect(existsSync(join(project, 'ran-ci'))).toBe(true);
  });

  it('does and says nothing where all is installed, packages for other platforms apart', () => {
    npmThatInstalls(installed);
    run();
    rmSync(join(project, 'ran-ci'));
    expect(run()).toEqual({ status: 0, said: '' });
    expect(existsSync(join(project, 'ran-ci'))).toBe(false);
  });

  it('installs again when the lockfile asks for another version', () => {
    npmThatInstalls(installed);
    run();
    write('package-lock.json', { packages: { ...lock.packages, 'node_modules/zod': { version: '4.0.1' } } });
    npmThatInstalls({ packages: { 'node_modules/zod': { version: '4.0.1' } } });
    expect(run()).toMatchObject({ status: 0, said: expect.stringContaining('npm ci') as string });
  });

  it('fails, and says what to run, when npm fails', () => {
    write('npm.js', 'process.exit(7)');
    expect(run()).toMatchObject({
      status: 1,
      said: expect.stringContaining('npm ci ended with code 7') as string,
    });
  });

  function run(): { status: number | null; said: string } {
    const env = { ...process.env, npm_execpath: join(project, 'npm.js') };
    const result = spawnSync(process.execPath, ['scripts/ensure-installed.mjs'], {
      cwd: project,
      env,
      encoding: 'utf8',
    });
    return { status: result.status, said: result.stdout + result.stderr };
  }

  /** Stands in for npm: leaves what `npm ci` leaves, and a mark that it ran. */
  function npmThatInstalls(hiddenLock: unknown): void {
    write(
      'npm.js',
      `const fs = require('node:fs');
       fs.writeFileSync('ran-ci', process.argv[2]);
       fs.mkdirSync('node_modules/.bin', { recursive: true });
       fs.writeFileSync('node_modules/.bin/node', '');
       fs.writeFileSync('node_modules/.package-lock.json', ${JSON.stringify(JSON.stringify(hiddenLock))});`,
    );
  }

  function write(file: string, content: unknown): void {
    writeFileSync(join(project, file), typeof content === 'string' ? content : JSON.stringify(content));
  }
});
