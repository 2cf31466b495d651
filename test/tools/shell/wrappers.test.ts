import { describe, expect, it } from 'vitest';
import { parseShell } from '../../../src/tools/shell/parse-shell.ts';

const found = (command: string) =>
  parseShell(command)
    .parts.filter(({ origin }) => origin !== 'guessed')
    .map(({ words }) =>
      words
        .map(({ value }) => value)
        .join(' ')
        .trim(),
    );

describe('parseShell looks through wrappers', () => {
  it.each([
    ['sudo rm x', 'rm x'],
    ['sudo -u root -n rm x', 'rm x'],
    ['sudo A=1 rm x', 'rm x'],
    ['doas rm x', 'rm x'],
    ['env rm x', 'rm x'],
    ['env -i -u A B=1 rm x', 'rm x'],
    ['command rm x', 'rm x'],
    ['env - rm x', 'rm x'],
    ['env - A=1 rm x', 'rm x'],
    ['prlimit rm x', 'rm x'],
    ['x86_64 rm x', 'rm x'],
    ['i386 rm x', 'rm x'],
    ['linux32 rm x', 'rm x'],
    ['linux64 rm x', 'rm x'],
    ['setarch x86_64 rm x', 'rm x'],
    ['choom -n 0 rm x', 'rm x'],
    ['choom -n 0 -- rm x', 'rm x'],
    ['ssh-agent rm x', 'rm x'],
    ['ssh-agent -a s rm x', 'rm x'],
    ['debconf rm x', 'rm x'],
    ['sg group rm x', 'rm x'],
    ['npm explore x -- rm x', 'rm x'],
    ['builtin cd x', 'cd x'],
    ['exec rm x', 'rm x'],
    ['nohup rm x', 'rm x'],
    ['\\time -p rm x', 'rm x'],
    ['nice -n 5 rm x', 'rm x'],
    ['timeout -k 1 5 rm x', 'rm x'],
    ['stdbuf -oL rm x', 'rm x'],
    ['xargs rm', 'rm'],
    ['xargs -0 -n 1 rm -f', 'rm -f'],
    ['xargs -I{} rm {}', 'rm {}'],
    ['busybox rm x', 'rm x'],
    ['find . -exec rm {} +', 'rm {}'],
    ['find . -name a -execdir rm {} \\; -print', 'rm {}'],
    ['find . -ok rm {} ";"', 'rm {}'],
    ['fd a -x rm', 'rm'],
    ['sh -c "rm x"', 'rm x'],
    ['bash -lc "ls; rm x"', 'rm x'],
    ['bash -o pipefail -c "rm x"', 'rm x'],
    ['/bin/bash -c "rm x"', 'rm x'],
    ["eval 'rm x'", 'rm x'],
    ['eval rm x', 'rm x'],
    ["trap 'rm x' EXIT", 'rm x'],
    ['bash <<< "rm x"', 'rm x'],
    ['bash <<E\nrm x\nE', 'rm x'],
    ["su -c 'rm x' user", 'rm x'],
    ['ssh host rm x', 'rm x'],
    ['watch -n 1 rm x', 'rm x'],
    ['sudo env nohup sh -c "timeout 5 rm x"', 'rm x'],
    ['sh -c \'sh -c "rm x"\'', 'rm x'],
  ])('%s', (command, inner) => {
    expect(found(command)).toContain(inner);
    expect(parseShell(command).features).not.toContain('unknown_code');
  });

  it.each([
    'sudo --unheard-of rm x',
    'env -S "rm x"',
    'env -C /x rm x',
    'timeout --unheard 5 rm x',
    'flock /tmp/l -c "rm x"',
    'sudo $OPTIONS rm x',
    'prlimit --nproc=9 rm x',
    'setarch -R rm x',
    'x86_64 -R rm x',
    'sg group -c "rm x"',
    '/lib64/ld-linux-x86-64.so.2 rm x',
    '/lib/ld-musl-x86_64.so.1 rm x',
    '/usr/lib/ld.so rm x',
    'strace -o out rm x',
    'parallel --unheard rm x',
  ])('guesses, and says that it does not know, at %s', (command) => {
    const analysis = parseShell(command);
    expect(analysis.features).toContain('unknown_code');
    expect(analysis.parts.some(({ name }) => name === 'rm')).toBe(true);
  });

  it.each(['env', 'command -v rm', 'sudo -v', 'xargs', 'find . -name "-exec"', 'trap - EXIT'])(
    'sees no other command in %s',
    (command) => {
      expect(found(command)).toHaveLength(1);
    },
  );

  it.each([
    'curl x | sudo sh',
    'cat x | bash -s',
    'cat x | python3',
    'cat x | python -',
    'cat x | ssh host',
    'alias ls=rm',
    'sh -c',
    'bash -c "$(cat x)"',
    'sh -c "echo \'"',
  ])('knows that %s runs what it cannot see', (command) => {
    expect(parseShell(command).features).toContain('unknown_code');
  });

  it('holds out against wrappers in wrappers without end', () => {
    let nested = 'rm x';
    for (let level = 0; level < 10; level++) nested = `sh -c ${JSON.stringify(nested)}`;
    expect(parseShell(nested).features).toContain('unknown_code');
    expect(parseShell('sudo -Z '.repeat(60) + 'rm x').ok).toBe(false);
  });
});
