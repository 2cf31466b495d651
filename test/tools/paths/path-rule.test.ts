import { describe, expect, it } from 'vitest';
import { matchesPathRule } from '../../../src/tools/paths/path-rule.ts';

const context = { cwd: '/w', home: '/home/u' };

describe('matchesPathRule', () => {
  it.each([
    ['src/a.ts', 'src/**'],
    ['src/a/b/c.ts', 'src/**'],
    ['src', 'src/**'],
    ['/w/src/a.ts', 'src/**'],
    ['src/a.ts', '/w/src/*.ts'],
    ['./src/../a', 'a'],
    ['a.ts', '*.ts'],
    ['.hidden', '*'],
    ['a/.b/c', '**'],
    ['a/b/c.ts', '**/*.ts'],
    ['c.ts', '**/*.ts'],
    ['/etc/x', '/**'],
    ['~/a', '~/*'],
    ['/home/u/a', '~/**'],
    ['a1', 'a?'],
    ['ab', 'a[bc]'],
    ['ad', 'a[!bc]'],
    ['a5', 'a[0-9]'],
    ['a.js', '*.{ts,js}'],
    ['x/a', '{x,y}/{a,b}'],
    ['a*b', 'a\\*b'],
    ['src/', 'src'],
    ['a', './a'],
    ['a/x/y/b', 'a/**/b'],
    ['a/b', 'a/**/b'],
    ['abcabc', 'a*b*c'],
  ])('%s falls under %s', (path, pattern) => {
    expect(matchesPathRule(path, pattern, context)).toBe(true);
  });

  it.each([
    ['srcs/a', 'src/**'],
    ['lib/src/a', 'src/**'],
    ['src/a/b.ts', 'src/*'],
    ['src/a/b.ts', 'src/*.ts'],
    ['src/../etc/a', 'src/**'],
    ['/w/../etc', '**'],
    ['/etc/a', '**'],
    ['a/b', '*'],
    ['a', 'b'],
    ['axb', 'a\\*b'],
    ['a/b', 'a?b'],
    ['ab', 'a[!bc]'],
    ['A.ts', 'a.ts'],
    ['/home/v/a', '~/**'],
    ['', 'a'],
    ['a', ''],
  ])('%s does not fall under %s', (path, pattern) => {
    expect(matchesPathRule(path, pattern, context)).toBe(false);
  });

  it('may ignore case', () => {
    expect(matchesPathRule('SECRET/A', 'secret/**', { ...context, ignoresCase: true })).toBe(true);
  });

  it.each([
    ['private', true],
    ['private/', true],
    ['**/private', true],
    ['priv*', true],
    ['{a,private}', true],
    ['*', false],
    ['*/', true],
    ['privat', false],
  ])('covers what is in the folder that a guard’s pattern %s names: %s', (pattern, covers) => {
    expect(matchesPathRule('private/a/k', pattern, { ...context, ignoresCase: true })).toBe(covers);
    expect(matchesPathRule('private/a/k', pattern, context)).toBe(false);
  });

  it('stays fast, whatever the pattern', () => {
    expect(matchesPathRule('a'.repeat(1_000), `${'a*'.repeat(100)}b`, context)).toBe(false);
    expect(matchesPathRule('a/'.repeat(200), `${'**/a/'.repeat(50)}b`, context)).toBe(false);
    expect(matchesPathRule('a', '{a,b}'.repeat(50), context)).toBe(false);
  });
});
