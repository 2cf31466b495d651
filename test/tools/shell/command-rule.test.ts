import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allowRulesCover, isFullyKnown, matchesCommandRule } from '../../../src/tools/shell/command-rule.ts';
import { parseShell } from '../../../src/tools/shell/parse-shell.ts';

const allows = (pattern: string, command: string) =>
  matchesCommandRule(parseShell(command), pattern, 'every');
const forbids = (pattern: string, command: string) =>
  matchesCommandRule(parseShell(command), pattern, 'some');

describe('a pattern that allows', () => {
  it.each([
    ['git commit:*', 'git commit'],
    ['git commit:*', 'git commit -m x'],
    ['git commit:*', 'git \'commit\' -m "a && b; c | d > e"'],
    ['git commit:*', 'git commit -m x 2>&1'],
    ['git commit:*', 'git commit -m x > /dev/null'],
    ['git commit:*', 'git commit -m a && git commit -m b'],
    ['git commit:*', 'git commit -F - <<E\nhi\nE'],
    ['npm run test:*', 'npm run test -- --watch'],
    ['npm run test:*', 'CI=1 NO_COLOR=1 npm run test'],
    ['npm run test:*', 'timeout 60 npm run test'],
    ['npm run test:*', 'time nice npm run test'],
    ['npm run test:*', 'env CI=1 npm run test'],
    ['A=1 npm test:*', 'A=1 npm test'],
    ['"my tool":*', "'my tool' x"],
    ['npm *', 'npm'],
    ['npm *', 'npm install x'],
    ['npm * --dry-run', 'npm publish --dry-run'],
    ['npm run build', 'npm run build'],
    ['npm run build', 'npm  run "build"'],
    ['echo hi > out.txt', 'echo hi > out.txt'],
    ['echo * > out.txt', 'echo hi > out.txt'],
    ['ls \\*', 'ls *'],
    ["grep 'a\\*b' c", "grep 'a*b' c"],
    ['a && b', 'a && b'],
    ['echo $(date)', 'echo $(date)'],
    ['echo $HOME:*', 'echo $HOME x'],
    ['sudo apt install:*', 'sudo apt install vim'],
    ['sudo apt *', 'sudo apt install vim'],
    ['xargs grep:*', 'xargs grep -l x'],
    ['find . -exec grep:*', 'find . -exec grep x {} +'],
    ["bash -c 'npm test'", "bash -c 'npm test'"],
    ['bash run.sh:*', 'bash run.sh a'],
  ])('%j covers %j', (pattern, command) => {
    expect(allows(pattern, command)).toBe(true);
  });

  it.each([
    // The end of a word, and the whole of a pattern.
    ['git commit:*', 'git commitx'],
    ['git commit:*', 'git'],
    ['git:*', 'gitk'],
    ['npm run build', 'npm run build2'],
    ['npm run build', 'npm run build --x'],
    ['npm run build', 'echo npm run build'],
    ['npm *', 'npmx'],
    ['* --dry-run', 'npm publish --dry-run x'],
    ['ls \\*', 'ls x'],
    ['ls \\*', 'ls \\*'],
    // Other parts.
    ['git commit:*', 'git commit -m x && curl x | sh'],
    ['git commit:*', 'git commit -m x; rm y'],
    ['git commit:*', 'git commit -m x & rm y'],
    ['git commit:*', 'git commit -m x\nrm y'],
    ['git commit:*', 'git commit -m x | tee y'],
    ['git commit:*', 'git commit -m x || rm y'],
    ['git commit:*', 'rm y && git commit -m x'],
    ['git *', 'git status && rm x'],
    ['npm *', 'npm test | sh'],
    // What is hidden inside.
    ['git commit:*', 'git commit -m "$(rm x)"'],
    ['git commit:*', 'git commit -m `rm x`'],
    ['git commit:*', 'git commit -m <(rm x)'],
    ['git commit:*', '(git commit -m x)'],
    ['git commit:*', 'if git commit; then git commit; fi'],
    ['echo:*', 'echo ${A:=b}'],
    ['echo *', 'echo $(rm x)'],
    // Writes.
    ['git log:*', 'git log > .bashrc'],
    ['git log:*', 'git log >> x'],
    ['git log:*', '{ git log; } > x'],
    ['echo *', 'echo hi > x'],
    ['echo * > out.txt', 'echo hi > other.txt'],
    ['echo *', 'echo hi > x'],
    ['echo hi', 'echo hi > x'],
    ['time npm test', '> x time npm test'],
    // Environment.
    ['npm test:*', 'LD_PRELOAD=x npm test'],
    ['npm test:*', 'PATH=. npm test'],
    ['npm test:*', 'PATH=.; npm test'],
    ['npm test:*', 'env PATH=. npm test'],
    ['npm test:*', 'LD_PRELOAD=x time npm test'],
    ['npm test:*', 'export PATH=. && npm test'],
    ['A=1 npm test:*', 'A=2 npm test'],
    // Other programs of the name, other users, other words.
    ['npm test:*', '/tmp/npm test'],
    ['npm test:*', './npm test'],
    ['npm test:*', 'NPM test'],
    ['npm test:*', 'sudo npm test'],
    ['npm test:*', 'npm $A'],
    ['npm test:*', '$A test'],
    ['npm $A:*', "npm '$A'"],
    ["npm '$A':*", 'npm $A'],
    // Wrappers that the pattern does not reach into.
    ['sudo:*', 'sudo rm x'],
    ['xargs:*', 'xargs rm'],
    ['find:*', 'find . -exec rm {} +'],
    ['find . -exec grep:*', 'find . -exec grep x {} \\; -exec rm {} \\;'],
    ['bash:*', 'bash -c "rm x"'],
    ['bash -c:*', 'bash -c "rm x"'],
    ['sudo *', 'sudo rm x'],
    ['npm test:*', 'bash -c "npm test"'],
    ['env:*', 'env rm x'],
    // Nothing to cover.
    ['ls:*', ''],
    ['ls:*', '# ls'],
    ['ls:*', 'A=1'],
    ['*', ''],
    // Broken.
    ['echo:*', 'echo "a'],
    ['echo "a', 'echo "a'],
  ])('%j does not cover %j', (pattern, command) => {
    expect(allows(pattern, command)).toBe(false);
  });

  it('never covers what another command was joined to', () => {
    const commands = [
      'npm test',
      'rm -rf x',
      'curl x',
      'git push',
      'echo "a b"',
      'ls -l',
      'cat < x',
      'make 2>&1',
      'python -c "x=1"',
      'tee y',
      'sudo id',
    ];
    const separators = [
      ';',
      ' ; ',
      '&&',
      ' && ',
      '||',
      ' || ',
      '|',
      ' | ',
      ' |& ',
      '&',
      ' & ',
      '\n',
      '\n\n',
      ' &&\n',
      ' &\n',
    ];
    const word = (command: string) => command.split(' ')[0]!;
    const joined = fc
      .array(fc.tuple(fc.constantFrom(...commands), fc.constantFrom(...separators)), {
        minLength: 2,
        maxLength: 6,
      })
      .filter((parts) => new Set(parts.map(([command]) => word(command))).size > 1);
    fc.assert(
      fc.property(joined, (parts) => {
        const line = parts
          .map(([command, separator], index) => (index < parts.length - 1 ? command + separator : command))
          .join('');
        for (const [command] of parts)
          for (const pattern of [`${command}:*`, `${word(command)}:*`, `${word(command)} *`, command])
            expect(allows(pattern, line), `${pattern} on ${line}`).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it('covers no substitution in any place', () => {
    const inside = fc.constantFrom(
      '$(rm x)',
      '`rm x`',
      '"$(rm x)"',
      '<(rm x)',
      '${A:-$(rm x)}',
      '$((a[$(rm x)]))',
      '"`rm x`"',
    );
    const place = fc.constantFrom<((code: string) => string)[]>(
      [(code) => `npm test ${code}`],
      [(code) => `npm ${code}`],
      [(code) => `npm test > ${code}`],
      [(code) => `CI=${code} npm test`],
      [(code) => `npm test <<< ${code}`],
      [(code) => `npm test <<E\n${code}\nE`],
      [(code) => `npm test a${code}b`],
    );
    fc.assert(
      fc.property(inside, place, (code, [put]) => {
        fc.pre(!(put!('').includes('<<E') && code.includes('<(')));
        expect(allows('npm:*', put!(code))).toBe(false);
        expect(allows('npm *', put!(code))).toBe(false);
        expect(allows('*', put!(code))).toBe(false);
      }),
    );
  });
});

describe('a pattern that denies or asks', () => {
  it.each([
    'rm',
    'rm x',
    'cd x && rm y',
    'cd x;rm y',
    'ls & rm y',
    'ls\nrm y',
    'ls | rm y',
    '$(rm y)',
    'echo "$(rm y)"',
    'echo `rm y`',
    'cat <(rm y)',
    '(rm y)',
    '{ rm y; }',
    'if a; then rm y; fi',
    'for i in a; do rm $i; done',
    'f() { rm y; }; f',
    'xargs rm',
    'find . | xargs -0 rm -f',
    'sudo rm y',
    'sudo -u root rm y',
    'sudo --unheard-of rm y',
    '/bin/rm y',
    '/usr/bin/rm y',
    './rm y',
    '\\rm y',
    '"rm" y',
    "'rm' y",
    "r'm' y",
    "$'rm' y",
    "$'\\x72m' y",
    'r\\m y',
    'env rm y',
    'env A=1 rm y',
    'env -S "rm y"',
    'A=1 rm y',
    'command rm y',
    'exec rm y',
    'nohup rm y &',
    'time rm y',
    'timeout 5 rm y',
    'find . -exec rm {} +',
    'find . -name a -execdir rm {} \\;',
    'sh -c "rm y"',
    "bash -lc 'ls; rm y'",
    'eval "rm y"',
    "eval 'r''m y'",
    'trap "rm y" EXIT',
    'bash <<< "rm y"',
    'bash <<E\nrm y\nE',
    'busybox rm y',
    'RM y',
    '> x rm y',
    'rm\ty',
    'rm>x y',
    '! rm y',
    'ls > $(rm y)',
    'A=$(rm y)',
    'su -c "rm y"',
    'ssh host rm y',
    'nice -n 5 rm y',
    'sudo sh -c "cd x && rm y"',
    'rm y\necho "unfinished',
    'coproc rm y',
    'rm \\\n y',
  ])('rm:* catches %j', (command) => {
    expect(forbids('rm:*', command)).toBe(true);
  });

  it.each([
    'ls rm',
    'echo rm x',
    'git rm x',
    'rmdir x',
    'grep rm x',
    'npm run rm',
    'cat rm',
    'ls # rm',
    'echo "a; rm x"',
    "echo '$(rm x)'",
    'command -v rm',
    '',
    'farm x',
  ])('rm:* leaves %j alone', (command) => {
    expect(forbids('rm:*', command)).toBe(false);
  });

  it.each([
    ['git push:*', 'git push origin main'],
    ['git push:*', 'git -C x push'],
    ['git push:*', 'git -c a=b --no-pager push'],
    ['git push:*', 'git --git-dir=x push'],
    ['git push --force:*', 'git push origin main --force'],
    ['rm -rf:*', 'rm -fr x'],
    ['rm -rf:*', 'rm -r x -f'],
    ['rm -rf:*', 'rm -rfv x'],
    ['rm -rf:*', 'rm -rfvd x'],
    ['rm -rf:*', 'rm -Rf x'],
    ['rm -rf:*', 'rm -r --force x'],
    ['rm -rf:*', 'rm --recursive --force x'],
    ['rm -rf:*', 'rm --rec --fo x'],
    ['rm --recursive:*', 'rm -R x'],
    ['git push *', 'git -C . push origin'],
    ['git push *', 'git --no-pager push'],
    ['rm -rf x', 'rm -fr x'],
    ['rm -rf x', 'ls && rm -r -f x'],
    ['docker rm:*', 'docker --context a rm x'],
    ['find . -delete:*', 'find . -name x -delete'],
    ['*curl*', 'ls && curl x'],
    ['curl *evil*', "curl 'https://evil.example/a b'"],
    ['rm *', 'rm'],
    ['* > /etc/*', 'echo a > /etc/hosts'],
    ['a && b', 'a && b'],
    ['/bin/rm:*', 'rm x'],
    ['env PATH=*', 'env PATH=. ls'],
    ['PATH=*', 'PATH=. ls'],
    ['git commit:*', 'git commit -m "$(rm x)"'],
  ])('%j catches %j', (pattern, command) => {
    expect(forbids(pattern, command)).toBe(true);
  });

  it.each([
    ['git push:*', 'git pull'],
    ['git push:*', 'git commit -m push'],
    ['git push --force:*', 'git push origin main'],
    ['rm -rf:*', 'rm -r x'],
    ['rm x', 'rm xy'],
    ['rm x', 'rm x y'],
    ['find . -delete:*', 'find . -type f -ls -depth'],
    ['*curl*', 'wget x'],
  ])('%j leaves %j alone', (pattern, command) => {
    expect(forbids(pattern, command)).toBe(false);
  });
});

describe('allowRulesCover', () => {
  it.each<[string[], string, boolean]>([
    [['git add:*', 'npm test:*'], 'git add a && npm test', true],
    [['npm test:*'], 'cd src && npm test | tail -5', true],
    [['npm test:*'], 'npm test && npm publish', false],
    [['npm test:*', 'git add:*'], 'npm test > x', false],
    [['npm test:*'], 'npm test; echo $(rm x)', false],
    [['npm test:*'], 'PATH=.; npm test', false],
    [['npm test:*'], 'git status && npm test', true],
    [['npm test:*'], 'cd x && git status && npm test', false],
    [['npm test:*', 'git:*'], 'cd x && git status && npm test', true],
    [[], 'ls', true],
    [[], '', false],
    [['echo $(date)'], 'echo $(date)', true],
  ])('of %j over %j is %s', (patterns, command, expected) => {
    expect(allowRulesCover(parseShell(command), patterns)).toBe(expected);
  });
});

describe('isFullyKnown', () => {
  it.each<[string, boolean]>([
    ['ls && rm x', true],
    ['sudo rm x', true],
    ['bash script.sh', true],
    ['$A x', false],
    ['cat x | sh', false],
    ['eval "$A"', false],
    ['sudo --unheard-of x', false],
    ['echo "a', false],
  ])('of %j is %s', (command, expected) => {
    expect(isFullyKnown(parseShell(command))).toBe(expected);
  });
});
