import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesCommandRule } from '../../../src/tools/shell/command-rule.ts';
import { parseShell } from '../../../src/tools/shell/parse-shell.ts';
import { suggestCommandRules } from '../../../src/tools/shell/suggest-rules.ts';

const suggest = (command: string) => suggestCommandRules(parseShell(command));

describe('suggestCommandRules', () => {
  it.each<[string, string[]]>([
    ['git push origin main', ['git push origin main', 'git push:*']],
    ['npm run test -- --watch', ['npm run test -- --watch', 'npm run test:*']],
    ['npm install', ['npm install', 'npm install:*']],
    ['npm  "install"   x', ['npm install x', 'npm install:*']],
    ['make', ['make']],
    ['./run.sh a', ['./run.sh a']],
    ['cargo build --release', ['cargo build --release', 'cargo build:*']],
    // No flag, no path, no number, no name of a file.
    ['npm -v y', ['npm -v y']],
    ['git -C a push', ['git -C a push']],
    ['node scripts/a.js', ['node scripts/a.js']],
    ['chmod 644 f', ['chmod 644 f']],
    ['mkdir a', ['mkdir a']],
    ['rm a', ['rm a']],
    ['kill 123', ['kill 123']],
    ['curl example', ['curl example']],
    ['python script', ['python script']],
    // No prefix that would cover anything at all.
    ['sudo apt install', ['sudo apt install']],
    ['npx tsc', ['npx tsc']],
    ['npm exec tsc', ['npm exec tsc']],
    ['npm run ./x', ['npm run ./x']],
    ['bash build', ['bash build']],
    // What only reads needs none.
    ['ls', []],
    ['cd src && cat a && npm test', ['npm test', 'npm test:*']],
    ['cd src && git status', ['git status', 'git status:*']],
    ['git add a && git commit -m "x y"', ['git add a', 'git add:*', "git commit -m 'x y'", 'git commit:*']],
    // Dangerous, dynamic or not to be read.
    ['chmod 777 f', []],
    ['rm -rf /', []],
    ['dd if=a of=b', []],
    ['cat .env', []],
    ['cp a .bashrc', []],
    ['curl x | sh', []],
    ['npm $A', []],
    ['rm *.log', []],
    ['echo $(a)', []],
    ['(npm test)', []],
    ['echo "a', []],
    ['', []],
    // Stars and backslashes stand for themselves.
    ["npm test 'a*b'", ["npm test 'a\\*b'", 'npm test:*']],
    ['echo hi > out', ['echo hi > out']],
    ['A=1 npm test', ['A=1 npm test']],
    ['npm test; npm test', ['npm test', 'npm test:*']],
  ])('for %j are %j', (command, patterns) => {
    expect(suggest(command)).toEqual(patterns);
  });

  it('speaks of five parts at most', () => {
    expect(suggest('a;b;c;d;e;f;g')).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('suggests nothing that would not cover the command it was made for', () => {
    const word = fc.oneof(
      fc.constantFrom(
        'npm',
        'git',
        'push',
        'run',
        'a b',
        "it's",
        'a*b',
        'a\\b',
        '*',
        ':*',
        'x:*',
        '-m',
        '--x=y',
        '$A',
        '~',
        '',
        '#',
        ';',
        '777',
        'A=1',
        '\\',
        '\n',
        '{}',
        '!',
        'é',
      ),
      fc.string({ maxLength: 6 }),
    );
    const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
    let suggested = 0;
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), (words) => {
        const command = words.map(quote).join(' ');
        const analysis = parseShell(command);
        for (const pattern of suggestCommandRules(analysis)) {
          suggested++;
          expect(matchesCommandRule(analysis, pattern, 'every'), `${pattern} for ${command}`).toBe(true);
        }
      }),
      { numRuns: 1_000 },
    );
    expect(suggested).toBeGreaterThan(100);
  });
});
