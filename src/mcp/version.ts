import { readFileSync } from 'node:fs';

let version: string | undefined;

/** Of this package: what servers and clients are told. */
export function ownVersion(): string {
  version ??= (
    JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
  ).version;
  return version;
}
