import type { Command } from './workspace.ts';

/** bash where there is one: models write for it. */
const shellScript = 'command -v bash >/dev/null 2>&1 && exec bash -c "$1" || exec sh -c "$1"';

export function argvOf(command: Command): readonly [string, ...string[]] {
  return 'argv' in command ? command.argv : ['/bin/sh', '-c', shellScript, 'sh', command.shell];
}
