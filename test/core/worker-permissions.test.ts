import { describe, expect, it } from 'vitest';
import { workerPermissions, type Grants, type Inheritance } from '../../src/core/worker-permissions.ts';
import type { PermissionMode, PermissionRule } from '../../src/core/permission.ts';

const grants = (given: Partial<Grants> = {}): Grants => ({
  mode: 'default',
  rules: [],
  workingDirectories: [],
  ...given,
});
const rule = (behavior: PermissionRule['behavior'], tool = 'pay'): PermissionRule => ({ tool, behavior });

describe('workerPermissions', () => {
  const modes: PermissionMode[] = ['explore', 'dont_ask', 'default', 'accept_edits', 'bypass'];
  it.each(
    modes.flatMap((template, i) =>
      modes.map((leader, j) => [template, leader, modes[Math.min(i, j)]!] as const),
    ),
  )('a template in %s under a leader in %s works in %s', (template, leader, expected) => {
    expect(workerPermissions(grants({ mode: template }), grants({ mode: leader }), {}).mode).toBe(expected);
  });

  it.each<[string, PermissionRule[], Inheritance, PermissionRule[]]>([
    ['deny rules always come down', [rule('deny')], {}, [rule('deny')]],
    ['ask rules always come down', [rule('ask')], {}, [rule('ask')]],
    ['allow rules don’t', [rule('allow')], {}, []],
    ['… unless the template lets them', [rule('allow')], { allow: true }, [rule('allow')]],
    [
      '… those of the tools that it names',
      [rule('allow'), rule('allow', 'look')],
      { allow: ['look'] },
      [rule('allow', 'look')],
    ],
  ])('%s', (_, leader, inherit, expected) => {
    const own = rule('allow', 'own');
    const { rules } = workerPermissions(grants({ rules: [own] }), grants({ rules: leader }), inherit);
    expect(rules).toEqual([own, ...expected]);
  });

  it.each<[string, string[], string[], Inheritance, string[]]>([
    ['a template’s directory in the leader’s', ['/srv/work/docs'], ['/srv/work'], {}, ['/srv/work/docs']],
    ['the leader’s in a template’s', ['/srv'], ['/srv/a', '/srv/b'], {}, ['/srv/a', '/srv/b']],
    ['none in common', ['/srv/work'], ['/home'], {}, []],
    ['a name that only begins alike', ['/srv/workshop'], ['/srv/work'], {}, []],
    ['a path that leads up again', ['/srv/work/../etc'], ['/srv/work'], {}, []],
    ['a leader without any', ['/srv/work'], [], {}, []],
    ['all of the leader’s, where the template says so', [], ['/srv'], { workingDirectories: true }, ['/srv']],
    ['no more than the leader’s, even then', ['/etc'], ['/srv'], { workingDirectories: true }, ['/srv']],
  ])('directories: %s', (_, template, leader, inherit, expected) => {
    const { workingDirectories } = workerPermissions(
      grants({ workingDirectories: template }),
      grants({ workingDirectories: leader }),
      inherit,
    );
    expect(workingDirectories).toEqual(expected);
  });
});
