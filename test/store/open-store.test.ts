import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { StoreUrlError, openStore } from '../../src/store/open-store.ts';
import { DatabaseSync } from '../../src/store/node-sqlite.ts';

const folder = mkdtempSync(join(tmpdir(), 'durascope-open-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('openStore', () => {
  it.each(['', 'store.db', 'sqlite:', 'mysql://localhost/x', 'postgres://host:port:port'])(
    'refuses "%s", and names the setting and both forms',
    async (url) => {
      const opening = openStore(url);
      await expect(opening).rejects.toThrow(StoreUrlError);
      await expect(opening).rejects.toThrow(/DURASCOPE_STORE.*sqlite:PATH.*postgres:\/\//);
    },
  );

  it('says why a file cannot be a store', async () => {
    const path = join(folder, 'letter.txt');
    writeFileSync(path, 'Dear reader, this is no database. '.repeat(100));
    await expect(openStore(`sqlite:${path}`)).rejects.toThrow('file is not a database');
  });

  it('leaves a store alone that a newer version has migrated', async () => {
    const path = join(folder, 'newer.db');
    await (await openStore(`sqlite:${path}`)).close();
    const database = new DatabaseSync(path);
    database.exec("insert into durascope_migrations (name, at) values ('9999_future', '')");
    database.close();
    await expect(openStore(`sqlite:${path}`)).rejects.toThrow('9999_future');
  });

  it('does not trouble users with the experimental warning of node:sqlite, and holds back no other', () => {
    const module = new URL('../../src/store/open-store.ts', import.meta.url).href;
    const script = `import { openStore } from '${module}';
      await (await openStore('sqlite::memory:')).close();
      process.emitWarning('a warning of ours');`;
    const run = (): string =>
      execFileSync('sh', ['-c', '"$0" --input-type=module -e "$1" 2>&1', process.execPath, script], {
        encoding: 'utf8',
      });
    const output = run();
    expect(output).toContain('a warning of ours');
    expect(output).not.toContain('ExperimentalWarning');
  });
});
