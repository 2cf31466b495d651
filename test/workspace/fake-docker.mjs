#!/usr/bin/env node
// Stands in for the Docker client: runs what `docker run` is given on this machine, and ends it as the engine would.
import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

const [verb, ...rest] = process.argv.slice(2);
const log = process.env.DOCKER_FAKE_LOG;
if (log) appendFileSync(log, `${JSON.stringify([verb, ...rest])}\n`);

if (verb === 'kill') {
  process.kill(-Number(readFileSync(pidFile(rest[0]), 'utf8')), 'SIGKILL');
} else if (verb === 'run') {
  const flags = new Set(['--rm', '--interactive', '--init', '--read-only']);
  const options = [];
  while (rest[0].startsWith('--')) {
    const name = rest.shift();
    options.push([name, flags.has(name) ? true : rest.shift()]);
  }
  const valueOf = (name) => options.find(([each]) => each === name)?.[1];
  rest.shift(); // the image
  const env = { PATH: process.env.PATH };
  for (const [name, value] of options) {
    if (name !== '--env') continue;
    const [key, ...parts] = value.split('=');
    env[key] = parts.length > 0 ? parts.join('=') : process.env[key];
  }
  const child = spawn(rest[0], rest.slice(1), {
    cwd: valueOf('--workdir'),
    env,
    stdio: 'inherit',
    detached: true,
  });
  const pid = pidFile(valueOf('--name'));
  writeFileSync(pid, String(child.pid));
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('exit', (code, signal) => {
    rmSync(pid, { force: true });
    process.exit(signal ? 137 : code);
  });
} else {
  process.exit(125);
}

function pidFile(name) {
  return `/tmp/${name}.pid`;
}
