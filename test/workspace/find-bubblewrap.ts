import { spawnSync } from 'node:child_process';
import { describe } from 'vitest';

/** Namespaces may be forbidden where the program is installed: only trying tells. */
const isThere =
  spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-net', '--dev', '/dev', 'true']).status === 0;

/** `describe` where Bubblewrap works; where it does not, it says loudly what is not tested. */
export function describeInBubblewrap(name: string, tests: () => void): void {
  if (!isThere)
    console.warn(
      `\n  NOT TESTED, bwrap does not work here: ${name}. To test it, install bubblewrap and allow user namespaces.\n`,
    );
  describe.skipIf(!isThere)(name, tests);
}
