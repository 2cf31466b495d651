import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mediaTypeOf } from '../../src/workspace/media-type.ts';
import { AWorkspace } from './a-workspace.ts';
import { aPdf } from './a-pdf.ts';

let at: AWorkspace;
beforeAll(async () => {
  at = await AWorkspace.open();
});
afterAll(() => at.close());

describe('read', () => {
  it('numbers lines, in parts where that is asked for', async () => {
    await at.write('five.txt', 'one\ntwo\nthree\nfour\nfive\n');
    expect((await at.call('read', { path: 'five.txt' })).text).toBe(
      '     1\tone\n     2\ttwo\n     3\tthree\n     4\tfour\n     5\tfive',
    );
    expect((await at.call('read', { path: join(at.root, 'five.txt'), offset: 2, limit: 2 })).text).toBe(
      '     2\ttwo\n     3\tthree\n[Lines 2 to 3 of 5. Go on with offset 4.]',
    );
    expect(await at.call('read', { path: 'five.txt', offset: 6 })).toMatchObject({
      state: 'error',
      text: expect.stringContaining('five.txt has 5 lines') as string,
    });
  });

  it('cuts long lines and long files', async () => {
    await at.write('wide.txt', `${'x'.repeat(3000)}\nshort`);
    const { text } = await at.call('read', { path: 'wide.txt' });
    expect(text).toContain('x[cut: 1000 more characters]\n     2\tshort');
    await at.write('long.txt', `${'y'.repeat(1000)}\n`.repeat(500));
    const long = await at.call('read', { path: 'long.txt' });
    expect(long.text.length).toBeLessThan(70_000);
    expect(long.text).toMatch(/\[Lines 1 to \d+ of 500\. Go on with offset \d+\.\]$/);
  });

  it('draws pages of a PDF by pdftoppm, and says what is missing without it', async () => {
    const bin = await mkdtemp(join(tmpdir(), 'bin-'));
    const drawn = 'printf "\\211PNG %s" "$*"';
    const program = `#!/bin/sh\ncase "$*" in *"-f 9 "*) echo "Wrong page range" >&2; exit 99;; *) ${drawn};; esac\n`;
    await writeFile(join(bin, 'pdftoppm'), program, { mode: 0o755 });
    const drawing = await AWorkspace.open('local', { env: { PATH: bin } });
    await drawing.write('a.pdf', aPdf(['One', 'Two']));
    const shown = await drawing.call('read', { path: 'a.pdf', as: 'pictures', pages: '1-2' });
    expect(shown.parts).toMatchObject([
      { type: 'data', mediaType: 'image/png', name: 'a.pdf, page 1' },
      { type: 'data', mediaType: 'image/png', name: 'a.pdf, page 2' },
    ]);
    const refusal = async (pages: string) =>
      (await drawing.call('read', { path: 'a.pdf', as: 'pictures', pages })).text;
    expect(await refusal('9')).toContain('page 9 of a.pdf could not be drawn: Wrong page range');
    expect(await refusal('1-6')).toContain('at most 5 pages');
    await rm(join(bin, 'pdftoppm'));
    expect(await refusal('1')).toContain('apt-get install poppler-utils');
    await drawing.close();
    await rm(bin, { recursive: true });
  });

  it('gives images as media, by what they hold and not by their names', async () => {
    const image = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    for (const name of ['dot.png', 'dot']) await at.write(name, image);
    expect((await at.call('read', { path: 'dot' })).text).toBe('image/png');
    await at.write('words.png', 'version https://git-lfs.github.com/spec/v1');
    expect((await at.call('read', { path: 'words.png' })).text).toContain('version https://git-lfs');
    expect((await at.call('read', { path: 'dot.png' })).parts).toEqual([
      {
        type: 'data',
        mediaType: 'image/png',
        name: 'dot.png',
        source: { type: 'base64', data: image.toString('base64') },
      },
    ]);
  });

  it.each([
    ['image/gif', 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'],
    ['image/webp', 'UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA'],
    ['image/webp', 'UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=='],
    ['image/webp', 'UklGRkoAAABXRUJQVlA4WAoAAAAQAAAAAAAAAAAAQUxQSAwAAAARBxAR/Q9E'],
    ['image/jpeg', '/9j/4AAEAAD/wAALCAABAAEBAREA/9k='],
  ])('knows %s by its header', (mediaType, base64) => {
    expect(mediaTypeOf(Buffer.from(base64, 'base64'))).toBe(mediaType);
  });

  it.each([
    ['GIF89a is a text file of some length, and no picture'],
    ['\x89PNG\r\n\x1A\n'],
    ['\x89PNG\r\n\x1A\n\0\0\0\rIHDR\0\0\0\0\0\0\0\x01\x08\x06\0\0\0\x1F\x15\xC4\x89'],
    ['\xFF\xD8\xFF\xE0'],
    ['\xFF\xD8\xFF\xE0\0\x04ab\xFF\xD9 and more of it'],
    ['RIFF\x22\0\0\0WEBPVP8 is what this one only says of itself'],
  ])('takes %j for no picture, whatever its signature says', (content) => {
    expect(mediaTypeOf(Buffer.from(content, 'latin1'))).toBeUndefined();
  });

  it('gives the text of pages of a PDF', async () => {
    await at.write('short.pdf', aPdf(['Hello page one', 'Hello page two']));
    const all = await at.call('read', { path: 'short.pdf' });
    expect(all.text).toContain('--- page 1 of 2 ---\nHello page one');
    expect(all.text).toContain('--- page 2 of 2 ---\nHello page two');
    const one = await at.call('read', { path: 'short.pdf', pages: '2' });
    expect(one.text).not.toContain('page one');

    await at.write('long.pdf', aPdf(Array.from({ length: 12 }, (_, index) => `This is page ${index + 1}`)));
    expect((await at.call('read', { path: 'long.pdf' })).text).toContain('has 12 pages: say which');
    expect((await at.call('read', { path: 'long.pdf', pages: '11-12' })).text).toContain('This is page 12');
    expect((await at.call('read', { path: 'long.pdf', pages: '13' })).text).toContain('from 1 to 12');
    await at.write('unnamed', aPdf(['Hello page one']));
    expect((await at.call('read', { path: 'unnamed' })).text).toContain('Hello page one');
    await at.write('broken.pdf', 'no pdf');
    expect((await at.call('read', { path: 'broken.pdf' })).text).toContain("can't be read as a PDF");
  });

  it.each([
    ['none.txt', undefined, 'does not exist'],
    ['folder', undefined, 'is a folder'],
    ['zero.bin', new Uint8Array([1, 0, 2]), 'binary file of 3 bytes'],
    ['latin.txt', Buffer.from('caf\u00e9', 'latin1'), 'not valid UTF-8'],
    ['wide16.txt', Buffer.from('\uFEFFhello', 'utf16le'), 'UTF-16'],
    ['huge.txt', Buffer.alloc(20 * 1024 * 1024 + 1, 'x'), 'more than the'],
    ['../outside.txt', undefined, 'out of the workspace'],
  ])('says what is wrong with %s', async (path, content, problem) => {
    await mkdir(join(at.root, 'folder'), { recursive: true });
    if (content) await at.write(path, content);
    expect(await at.call('read', { path })).toMatchObject({
      state: 'error',
      text: expect.stringContaining(problem) as string,
    });
  });

  it('shows an empty file as one', async () => {
    await at.write('empty.txt', '');
    expect((await at.call('read', { path: 'empty.txt' })).text).toBe('(the file is empty)');
  });
});

describe('write', () => {
  it('makes a file and its folders', async () => {
    const { text } = await at.call('write', { path: 'new/deep/file.txt', content: 'a\nb\n' });
    expect(text).toBe('Wrote new/deep/file.txt, which is new (2 lines).');
    expect(await at.content('new/deep/file.txt')).toBe('a\nb\n');
  });

  it('replaces only what was read, as it is now', async () => {
    await at.write('known.txt', 'old\n');
    const unread = await at.call('write', { path: 'known.txt', content: 'new\n' });
    expect(unread).toMatchObject({ state: 'error' });
    expect(unread.text).toContain('has not been read yet');

    await at.call('read', { path: 'known.txt' });
    await at.write('known.txt', 'changed by another\n');
    expect((await at.call('write', { path: 'known.txt', content: 'new\n' })).text).toContain(
      'has changed since it was read',
    );
    expect(await at.content('known.txt')).toBe('changed by another\n');

    await at.call('read', { path: 'known.txt' });
    const { state, text } = await at.call('write', { path: 'known.txt', content: 'new\n' });
    expect(state).toBe('success');
    expect(text).toContain('-changed by another\n+new');
    // Its own writing is known to it.
    expect((await at.call('write', { path: 'known.txt', content: 'newer\n' })).state).toBe('success');
  });

  it('knows a file by its content, whatever its time stamp and whichever name led to it', async () => {
    await at.write('same.txt', 'same');
    await symlink('same.txt', join(at.root, 'alias.txt'));
    await at.call('read', { path: 'alias.txt' });
    await at.write('same.txt', 'same');
    expect((await at.call('write', { path: 'same.txt', content: 'other' })).state).toBe('success');
  });

  it('keeps the mode', async () => {
    await at.write('tool.sh', 'echo 1\n');
    await chmod(join(at.root, 'tool.sh'), 0o750);
    await at.call('read', { path: 'tool.sh' });
    await at.call('write', { path: 'tool.sh', content: 'echo 2\n' });
    expect((await stat(join(at.root, 'tool.sh'))).mode & 0o777).toBe(0o750);
  });
});

describe('edit', () => {
  const edit = async (content: string, change: Record<string, unknown>) => {
    await at.write('edited.txt', content);
    await at.call('read', { path: 'edited.txt' });
    return at.call('edit', { path: 'edited.txt', ...change });
  };

  it('replaces one text, and shows the difference', async () => {
    const { text } = await edit('a\nb\nc\n', { oldText: 'b', newText: 'B $& $1' });
    expect(text).toContain('Changed edited.txt in one place.');
    expect(text).toContain('@@ -1,3 +1,3 @@\n a\n-b\n+B $& $1\n c');
    expect(await at.content('edited.txt')).toBe('a\nB $& $1\nc\n');
    // No new reading is needed in between.
    expect((await at.call('edit', { path: 'edited.txt', oldText: 'c', newText: 'C' })).state).toBe('success');
  });

  it('replaces all where that is asked for, and else only what is there once', async () => {
    expect((await edit('x\ny\nx\n', { oldText: 'x', newText: 'z' })).text).toContain(
      '2 times (near lines 1, 3)',
    );
    const all = await edit('x\ny\nx\n', { oldText: 'x', newText: 'z', replaceAll: true });
    expect(all.text).toContain('in 2 places');
    expect(await at.content('edited.txt')).toBe('z\ny\nz\n');
  });

  it('shows what is nearest to a text that is not there', async () => {
    const code = 'function add(a, b) {\n\treturn a + b;\n}\n';
    const spaces = await edit(code, { oldText: 'function add(a, b) {\n  return a + b;', newText: 'x' });
    expect(spaces.text).toContain(
      'It differs only in white space:\n1\tfunction add(a, b) {\n2\t\treturn a + b;',
    );
    const near = await edit(code, { oldText: 'return a + c;', newText: 'x' });
    expect(near.text).toContain('The nearest is:\n2\t\treturn a + b;');
    const far = await edit(code, { oldText: 'SELECT 1', newText: 'x' });
    expect(far.text).toContain('Nothing in it is like it');
    expect((await edit(code, { oldText: 'add', newText: 'add' })).text).toContain('nothing to change');
  });

  it('keeps line ends and the byte order mark', async () => {
    await edit('\uFEFFone\r\ntwo\r\nthree\r\n', { oldText: 'one\ntwo', newText: '1\n2\n2b' });
    expect(await at.content('edited.txt')).toBe('\uFEFF1\r\n2\r\n2b\r\nthree\r\n');
    await edit('one\r\ntwo\nthree\r\n', { oldText: 'two\nthree\r\n', newText: '2\n' });
    expect(await at.content('edited.txt')).toBe('one\r\n2\n');
  });

  it('changes only what was read, as it is now', async () => {
    await at.write('unread.txt', 'x');
    expect((await at.call('edit', { path: 'unread.txt', oldText: 'x', newText: 'y' })).text).toContain(
      'has not been read yet',
    );
    expect((await at.call('edit', { path: 'nowhere.txt', oldText: 'x', newText: 'y' })).text).toContain(
      'does not exist',
    );
  });
});

describe('the gate of a path', () => {
  const check = (name: 'read' | 'write', path: string) =>
    at.tool(name).checkPermission({ path, content: '' }, { owner: 'acme', sessionId: 's1' });

  it.each([
    ['read', 'src/a.ts', undefined],
    ['read', '.env', 'ask'],
    ['read', 'harmless.txt', 'ask'],
    ['read', '../x', 'deny'],
    ['read', '/etc/passwd', 'deny'],
    ['write', 'src/a.ts', undefined],
    ['write', '.git/hooks/pre-commit', 'ask'],
    ['write', '.bashrc', 'ask'],
    ['write', '.durascope/workspace.json', 'deny'],
    ['write', '/tmp/x', 'deny'],
    ['write', 'leads-out', 'deny'],
  ] as const)('%s %s: %s', async (name, path, behavior) => {
    await symlink('.env', join(at.root, 'harmless.txt')).catch(() => undefined);
    await symlink('/tmp/somewhere', join(at.root, 'leads-out')).catch(() => undefined);
    expect((await check(name, path))?.behavior).toBe(behavior);
  });

  it('reads patterns by where a path is and where it leads', async () => {
    await mkdir(join(at.root, 'private'), { recursive: true });
    await symlink('private', join(at.root, 'public')).catch(() => undefined);
    const matches = (path: string, pattern: string, behavior: 'allow' | 'deny') =>
      at.tool('read').matchRule?.({ path }, pattern, behavior);
    expect(matches('private/a.txt', 'private/**', 'deny')).toBe(true);
    expect(matches('public/a.txt', 'private/**', 'deny')).toBe(true);
    expect(matches('PRIVATE/a.txt', 'private/**', 'deny')).toBe(true);
    expect(matches('public/a.txt', 'public/**', 'allow')).toBe(false);
    expect(matches('src/x/a.ts', 'src/**', 'allow')).toBe(true);
    expect(matches('src/../private/a.ts', 'src/**', 'allow')).toBe(false);
    expect(at.tool('write').suggestRules?.({ path: join(at.root, 'src/a.ts') })).toEqual(
      ['src/a.ts', 'src/**', '**'].map((pattern) => ({ tool: 'write', pattern, behavior: 'allow' })),
    );
  });
});
