import { describe, expect, it } from 'vitest';
import { inheritedPermissions } from '../../src/core/inherit-permissions.ts';
import type { PermissionMode, PermissionRule } from '../../src/core/permission.ts';

describe('what a subagent takes over from its caller', () => {
  it.each<[caller: PermissionMode, own: PermissionMode, mode: PermissionMode | undefined]>([
    ['default', 'default', undefined],
    ['default', 'bypass', undefined],
    ['bypass', 'default', undefined],
    ['accept_edits', 'default', undefined],
    ['explore', 'bypass', 'explore'],
    ['explore', 'default', 'explore'],
    ['dont_ask', 'default', 'dont_ask'],
    ['dont_ask', 'bypass', 'dont_ask'],
    ['dont_ask', 'explore', undefined],
    ['bypass', 'explore', undefined],
  ])('of mode %s, with its own %s, is mode %s', (caller, own, mode) => {
    expect(inheritedPermissions({ mode: caller, rules: [] }, own).mode).toBe(mode);
  });

  it('of rules is what forbids and what asks; the owner’s hold for it in any case', () => {
    const rule = (behavior: PermissionRule['behavior'], source: PermissionRule['source'] = 'session') => ({
      tool: 'pay',
      behavior,
      source,
    });
    const rules = [rule('allow'), rule('ask'), rule('deny', 'agent'), rule('deny', 'owner')];
    expect(inheritedPermissions({ mode: 'default', rules }, 'default').rules).toEqual([rules[1], rules[2]]);
  });
});
