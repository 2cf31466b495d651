import { readFileSync } from 'node:fs';

/** Why this package can't run here; undefined where it can. */
export function nodeComplaint(running: string): string | undefined {
  const file = new URL('../../package.json', import.meta.url);
  const { engines } = JSON.parse(readFileSync(file, 'utf8')) as { engines: { node: string } };
  const needed = engines.node.replace('>=', '');
  return isBefore(running, needed)
    ? `durascope needs Node ${needed} or later, and this is Node ${running} (${process.execPath}).`
    : undefined;
}

function isBefore(version: string, other: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [otherMajor = 0, otherMinor = 0] = other.split('.').map(Number);
  return major < otherMajor || (major === otherMajor && minor < otherMinor);
}
