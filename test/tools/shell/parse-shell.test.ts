import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isStatic, type ShellFeature } from '../../../src/tools/shell/analysis.ts';
import { parseShell } from '../../../src/tools/shell/parse-shell.ts';

/** The commands as lists of words. */
function commandsOf(command: string): string[][] {
  return parseShell(command).parts.map(({ words }) => words.map(({ value }) => value));
}

describe('parseShell', () => {
  it.each([';', '&&', '||', '|', '|&', '&', '\n', ' ; ', '&\n', ' && \n', '\n\n', ';\n# note\n'])(
    'splits at %j',
    (separator) => {
      const analysis = parseShell(`ls -l${separator}rm x`);
      expect(analysis.ok).toBe(true);
      expect(commandsOf(`ls -l${separator}rm x`)).toEqual([
        ['ls', '-l'],
        ['rm', 'x'],
      ]);
    },
  );

  it.each([
    ["rm 'a b'", ['rm', 'a b']],
    ['rm "a b"', ['rm', 'a b']],
    ['rm a\\ b', ['rm', 'a b']],
    ["rm $'a\\tb'", ['rm', 'a\tb']],
    ['cp a ".env"', ['cp', 'a', '.env']],
    ['"rm" -"r"f \'x\'y"z"', ['rm', '-rf', 'xyz']],
    ['\\rm x', ['rm', 'x']],
    ['rm \\\n x', ['rm', 'x']],
    ['echo "a;b" \'c&&d\' e\\|f', ['echo', 'a;b', 'c&&d', 'e|f']],
    ['echo a#b # rm x', ['echo', 'a#b']],
    ['echo ""', ['echo', '']],
  ])('takes the quotes away from %j', (command, words) => {
    expect(commandsOf(command)).toEqual([words]);
  });

  it.each<[string, string[][]]>([
    [
      'echo $(rm x)',
      [
        ['rm', 'x'],
        ['echo', '$(rm x)'],
      ],
    ],
    [
      'echo "$(rm x)"',
      [
        ['rm', 'x'],
        ['echo', '$(rm x)'],
      ],
    ],
    [
      'echo `rm x`',
      [
        ['rm', 'x'],
        ['echo', '`rm x`'],
      ],
    ],
    [
      'echo ${A:-$(rm x)}',
      [
        ['rm', 'x'],
        ['echo', '${A:-$(rm x)}'],
      ],
    ],
    [
      'echo $((a[$(rm x)]))',
      [
        ['rm', 'x'],
        ['echo', '$((a[$(rm x)]))'],
      ],
    ],
    ['A=$(rm x) ls', [['rm', 'x'], ['ls']]],
    ['ls > $(rm x)', [['rm', 'x'], ['ls']]],
    [
      'cat <(rm x)',
      [
        ['rm', 'x'],
        ['cat', '<(rm x)'],
      ],
    ],
    ['cat <<E\n$(rm x)\nE', [['rm', 'x'], ['cat']]],
    ['cat <<< $(rm x)', [['rm', 'x'], ['cat']]],
    ['(rm x)', [['rm', 'x']]],
    ['{ rm x; }', [['rm', 'x']]],
    ['if a; then rm x; else b; fi', [['a'], ['rm', 'x'], ['b']]],
    ['for i in $(a); do rm x; done', [['a'], ['rm', 'x']]],
    ['while a; do rm x; done', [['a'], ['rm', 'x']]],
    ['case $(a) in b) rm x;; esac', [['a'], ['rm', 'x']]],
    ['f() { rm x; }', [['rm', 'x']]],
    ['[[ -f $(rm x) ]]', [['rm', 'x']]],
    ['! rm x', [['rm', 'x']]],
    ['time rm x', [['rm', 'x']]],
    ['coproc rm x', [['rm', 'x']]],
    ['${ rm x; }', [['rm', 'x'], ['${ rm x; }']]],
  ])('finds the commands inside %j', (command, commands) => {
    expect(commandsOf(command)).toEqual(commands);
  });

  it.each<[string, ShellFeature[]]>([
    ['ls', []],
    ['ls | wc && a || b; c &', []],
    ['echo $(a)', ['command_substitution']],
    ['echo `a`', ['command_substitution']],
    ['cat <(a)', ['process_substitution']],
    ['echo $A "${B}"', []],
    ['echo ${A:-b}', ['expansion_operator']],
    ['echo ${!A}', ['expansion_operator']],
    ['echo ${#A}', ['expansion_operator']],
    ['echo $((1 + 1))', ['arithmetic']],
    ['((a))', ['arithmetic']],
    [`echo $((eval 'rm x'))`, ['arithmetic', 'unknown_code']],
    ['((eval "rm x"))', ['arithmetic', 'unknown_code']],
    ['(a)', ['subshell']],
    ['{ a; }', ['group']],
    ['if a; then b; fi', ['control_flow']],
    ['for i in a; do b; done', ['control_flow']],
    ['until a; do b; done', ['control_flow']],
    ['case a in b) c;; esac', ['control_flow']],
    ['f() { a; }', ['function', 'group']],
    ['[[ a ]]', ['test']],
    ['! a', ['negation']],
    ['cat <<E\nE', ['here_doc']],
    ['cat <<< a', ['here_string']],
    ['ls @(a|b)', ['extended_glob']],
    ['coproc a', ['coprocess']],
    ['$A b', ['dynamic_name']],
    ['{rm,x}', ['dynamic_name']],
    ['eval $A', ['unknown_code']],
    ["eval 'rm x'", []],
    ['a | sh', ['unknown_code']],
    ['a | sudo bash', ['unknown_code']],
    ['a | { sh; }', ['unknown_code', 'group']],
    ['sh -c "$A"', ['unknown_code']],
    ['sh script.sh', []],
    ["echo $'\\' ; rm x #'", ['ansi_c_escape']],
  ])('notes what %j holds', (command, features) => {
    expect([...parseShell(command).features].toSorted()).toEqual(features.toSorted());
  });

  it.each([
    ['echo "a', 'syntax error'],
    ["echo 'a", 'syntax error'],
    ['ls )', 'syntax error'],
    ['&& ls', 'syntax error'],
    ['if a; then b', 'syntax error'],
    ['echo $(', 'syntax error'],
    ['cat <<E\nno end', 'here-document'],
    ['ls >', 'syntax error'],
    ['ls\u0000', 'control'],
    ['rm x\rls', 'control'],
    ['ls \u001b[2K', 'control'],
    ['ls \u202eabc', 'invisible'],
    ['a '.repeat(40_000), 'longer'],
    ['a;'.repeat(600), 'more than'],
  ])('refuses %j', (command, why) => {
    const analysis = parseShell(command);
    expect(analysis.ok).toBe(false);
    expect(analysis.ok || analysis.why).toContain(why);
  });

  it('still tells what it could make out of a broken command, for rules that forbid', () => {
    expect(commandsOf('rm x\necho "a')).toContainEqual(['rm', 'x']);
  });

  it.each([
    ['$A', false],
    ['"$A"', false],
    ['a*', false],
    ['a?', false],
    ['a[bc]', false],
    ['{a,b}', false],
    ['$(a)', false],
    ['a', true],
    ["'$A'", true],
    ['"*"', true],
    ['\\*', true],
    ['~/a', true],
    ['"a b"', true],
  ])('knows whether the word %s is the same whenever it runs', (word, expected) => {
    expect(isStatic(parseShell(`echo ${word}`).parts.at(-1)!.args[0]!)).toBe(expected);
  });

  it('keeps assignments, redirects and how a part runs', () => {
    const [first, second] = parseShell('A=1 B="x y" cmd a 2>&1 >> "out file" & b | c').parts;
    expect(first!.assignments.map(({ name, value }) => [name, value?.value])).toEqual([
      ['A', '1'],
      ['B', 'x y'],
    ]);
    expect(first!.redirects.map(({ op, target }) => [op, target.value])).toEqual([
      ['>&', '1'],
      ['>>', 'out file'],
    ]);
    expect(first).toMatchObject({ name: 'cmd', isBackground: true, join: 'start' });
    expect(second).toMatchObject({ name: 'b', isBackground: false, join: '&', readsPipe: false });
    expect(parseShell('b | c').parts[1]).toMatchObject({ join: '|', readsPipe: true });
  });

  it.each(['> out', '(ls) > out', '{ ls; } >> out', 'if a; then b; fi &> out'])(
    'sees the redirect of %j',
    (command) => {
      const targets = parseShell(command).parts.flatMap(({ redirects }) => redirects);
      expect(targets.map(({ target }) => target.value)).toEqual(['out']);
    },
  );

  it('never throws, and says why when it refuses', () => {
    const token = fc.constantFrom(
      'a',
      ' ',
      "'",
      '"',
      '\\',
      '$',
      '(',
      ')',
      '{',
      '}',
      ';',
      '|',
      '&',
      '\n',
      '<',
      '>',
      '`',
      '#',
      '!',
      '[',
      ']',
      '*',
      '~',
      '=',
      '<<E',
      'if ',
      'sudo ',
      'env ',
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 25 }), (tokens) => {
        const analysis = parseShell(tokens.join(''));
        return analysis.ok || analysis.why.length > 0;
      }),
      { numRuns: 2_000 },
    );
  });

  it('takes every spelling of a word for the same word', () => {
    const letters = fc.array(fc.constantFrom('a', 'b', '-', '.', '/', ' ', '*', '$', ';', '|', '"'), {
      minLength: 1,
      maxLength: 8,
    });
    const quote = fc.constantFrom<((text: string) => string)[]>(
      [(text) => `'${text}'`],
      [(text) => `"${text.replaceAll(/["$\\`]/g, '\\$&')}"`],
      [(text) => text.replaceAll(/[^ab]/g, '\\$&')],
      [(text) => `$'${text}'`],
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(letters, quote), { minLength: 1, maxLength: 4 }), (pieces) => {
        const plain = pieces.map(([piece]) => piece.join('')).join('');
        const written = pieces.map(([piece, [spell]]) => spell!(piece.join(''))).join('');
        expect(commandsOf(`cmd ${written}`)).toEqual([['cmd', plain]]);
        expect(commandsOf(`${written} x`)).toEqual([[plain, 'x']]);
      }),
    );
  });
});
