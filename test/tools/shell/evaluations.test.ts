import { describe, expect, it } from 'vitest';
import { checkCommand } from '../../../src/tools/shell/check-command.ts';
import { allowRulesCover, isFullyKnown } from '../../../src/tools/shell/command-rule.ts';
import { editTargets } from '../../../src/tools/shell/edit-targets.ts';
import { parseShell } from '../../../src/tools/shell/parse-shell.ts';
import { isReadOnlyCommand } from '../../../src/tools/shell/read-only.ts';
import { suggestCommandRules } from '../../../src/tools/shell/suggest-rules.ts';

const place = { workingDirectories: ['/w'], cwd: '/w', home: '/home/u' };
const value = "CI='a[$(touch PWN)]'";

describe('what bash evaluates of a variable', () => {
  it.each([
    `${value}; LINES[CI]=1`,
    `${value} LINES[CI]=1`,
    'LINES[CI]=1',
    'LINES[CI]+=1',
    'LINES=([CI]=1)',
    'PATH[0]=. ls',
    `${value}; cat {LINES[CI]}</dev/null`,
    'cat {LINES[CI]}</dev/null',
    'cat {LINES[CI]}<<<a',
    `${value}; [ ?v 'a[CI]' ]`,
    "[ ?v 'a[CI]' ]",
    "[ -v 'a[CI]' ]",
    'test ?v a*',
    '[ -f * ]',
    'test {-v,a}',
    `${value}; [ -n $CI ]`,
    `${value}; [[ CI -eq 1 ]]`,
    "[[ 'a[$(touch PWN)]' -eq 1 ]]",
    `${value}; ((CI))`,
    `${value}; echo $((CI))`,
    `${value}; echo \${Y[CI]}`,
    `${value}; echo \${Y:CI}`,
    `${value}; echo \${!CI}`,
    `CI='$(touch PWN)'; echo \${CI@P}`,
    `${value}; let CI`,
    `${value}; RANDOM=$CI`,
    'RANDOM=CI',
    "export RANDOM='a[$(touch PWN)]'",
    `${value}; declare -i X=CI`,
    "declare -n X='a[$(touch PWN)]'",
    'declare X[CI]=1',
    "export 'X[CI]=1'",
    `${value}; readonly -a X=1`,
    "read 'Y[X]'",
    'read OPTIND',
    "printf -v 'Y[X]' a",
    "printf -v'Y[X]' a",
    "unset 'Y[X]'",
    "read X <<< 'a[$(touch PWN)]'; ((X))",
    "for X in 'a[$(touch PWN)]'; do ((X)); done",
    'for RANDOM in CI; do ls; done',
    "set -- 'a[$(touch PWN)]'; (($1))",
    "X=$'\\x5b'; Y=a$X; ((Y))",
    `bash -c "CI='a[\\$(touch PWN)]'; LINES[CI]=1"`,
    `${value}; eval 'echo $((CI))'`,
  ])('%j is for a person to read', (command) => {
    const analysis = parseShell(command);
    expect(isReadOnlyCommand(analysis)).toBe(false);
    expect(isFullyKnown(analysis)).toBe(false);
    expect(allowRulesCover(analysis, ['*', 'cat:*', '[:*', 'test:*', 'echo:*', 'declare:*'])).toBe(false);
    expect(checkCommand(analysis, place)).toMatchObject({ behavior: 'ask', isSafety: true });
    expect(editTargets(analysis, place)).toBeUndefined();
    expect(suggestCommandRules(analysis)).toEqual([]);
  });

  it.each([
    'CI=1 LINES=5 ls',
    'TZ=Europe/Paris date',
    '[ -f a ] && cat a',
    'test -d $HOME/a',
    "grep 'a[$]' b",
    'A[0]=1 ls',
    '[ "$CI" = 1 ]',
    'export A=b',
    'for f in a b; do [ -f a ]; done',
    'i=1; echo $((i + 1))',
    'X=1; echo ${X:-a}',
    'RANDOM=5; echo $RANDOM',
  ])('%j is known', (command) => {
    expect(isFullyKnown(parseShell(command))).toBe(true);
  });

  it.each(["CI='a[x]' ls", "CI='$(x)'", "LANG='`x`' ls", 'LINES[0]=1'])(
    '%j leaves more than plain text, and is no reading',
    (command) => {
      expect(isReadOnlyCommand(parseShell(command))).toBe(false);
    },
  );
});
