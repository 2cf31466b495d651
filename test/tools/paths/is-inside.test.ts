import * as fc from 'fast-check';
import { mkdtemp, mkdir, readlink, realpath, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isBelow, isInside, resolveLinks } from '../../../src/tools/paths/is-inside.ts';

const links = (table: Record<string, string>) => ({ readLink: async (path: string) => table[path] });

describe('isInside', () => {
  it.each([
    ['/w', '/w'],
    ['/w', '/w/'],
    ['/w', '/w/a/b'],
    ['/w/', '/w/a'],
    ['/w', '/w/./a/../b'],
    ['/w', '/x/../w/a'],
    ['/', '/a'],
    ['/w', '//w//a'],
  ])('%s holds %s', async (directory, path) => {
    expect(await isInside([directory], path, links({}))).toBe(true);
  });

  it.each([
    ['/w', '/x'],
    ['/w', '/wx'],
    ['/w', '/w/..'],
    ['/w', '/w/../x'],
    ['/w', '/w/a/../../x'],
    ['/w', 'a'],
    ['/w', ''],
    ['/w/a', '/w'],
  ])('%s does not hold %s', async (directory, path) => {
    expect(await isInside([directory], path, links({}))).toBe(false);
  });

  it.each<[string, Record<string, string>, boolean]>([
    ['/w/link/x', { '/w/link': '/etc' }, false],
    ['/w/link/x', { '/w/link': 'a' }, true],
    ['/w/link/x', { '/w/link': '../out' }, false],
    ['/w/a/link', { '/w/a/link': '../b' }, true],
    // A dangling link: writing through it would make the file outside.
    ['/w/new', { '/w/new': '/etc/new' }, false],
    // `..` goes up from where the link led.
    ['/w/link/../x', { '/w/link': '/etc/ssl' }, false],
    ['/w/a', { '/w/a': '/w/b', '/w/b': '/out' }, false],
    ['/w/a', { '/w/a': '/w/b', '/w/b': '/w/a' }, false],
    // The directory itself may be a link.
    ['/w/a', { '/w': '/real' }, true],
    ['/real/a', { '/w': '/real' }, true],
  ])('follows links: %s with %j', async (path, table, expected) => {
    expect(await isInside(['/w'], path, links(table))).toBe(expected);
  });

  it('asks whether any of several directories holds it', async () => {
    expect(await isInside(['/a', '/b'], '/b/x', links({}))).toBe(true);
    expect(await isInside([], '/b/x', links({}))).toBe(false);
  });

  it('agrees with the file system', async () => {
    const root = await realpath(await mkdtemp(join(tmpdir(), 'inside-')));
    await mkdir(join(root, 'w/sub/deep'), { recursive: true });
    await mkdir(join(root, 'out/sub'), { recursive: true });
    await symlink('../out', join(root, 'w/out'));
    await symlink('sub/deep', join(root, 'w/deep'));
    await symlink(join(root, 'w'), join(root, 'out/back'));
    const disk = { readLink: (path: string) => readlink(path).catch(() => undefined) };
    const segment = fc.constantFrom('sub', 'deep', 'out', 'back', '..', '.', 'w');
    await fc.assert(
      fc.asyncProperty(fc.array(segment, { maxLength: 6 }), async (segments) => {
        const path = [root, 'w', ...segments].join('/');
        const real = await realpath(path).catch(() => undefined);
        fc.pre(real !== undefined);
        expect(await resolveLinks(path, disk)).toBe(real);
        expect(await isInside([join(root, 'w')], path, disk)).toBe(isBelow(join(root, 'w'), real));
      }),
    );
  });
});
