import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readDevRecord, removeDevRecord, writeDevRecord } from '../../src/settings/dev-record.ts';
import { publicStore, resolveSettings, type Flags } from '../../src/settings/settings.ts';
import { aConfig, aProject, type Project } from '../cli/project.ts';

let project: Project;
beforeEach(async () => {
  project = await aProject();
});
afterEach(() => project.remove());

const resolve = (flags: Flags = {}, env: Record<string, string> = {}) =>
  resolveSettings(flags, { cwd: project.folder, env });

describe('resolveSettings', () => {
  it('falls back to a store beside the config, and to no Temporal', async () => {
    const settings = await resolve();
    expect(settings).toMatchObject({
      temporal: { address: undefined, namespace: 'default' },
      store: `sqlite:${join(project.folder, '.durascope/store.db')}`,
      taskQueue: 'durascope',
      owner: 'local',
    });
    expect(settings.config?.agents.map(({ name }) => name)).toEqual(['support']);
  });

  it('takes flags before the environment, and the environment before the config', async () => {
    await project.write(
      'durascope.config.ts',
      aConfig(`store: 'sqlite:c.db', taskQueue: 'c', temporal: { address: 'c:1', namespace: 'c', apiKey: 'secret' },
        models: { openai: { baseUrl: 'http://c/v1', apiKey: 'c' } }`),
    );
    const env = {
      TEMPORAL_ADDRESS: 'e:1',
      TEMPORAL_NAMESPACE: 'e',
      DURASCOPE_STORE: 'sqlite:e.db',
      DURASCOPE_OWNER: 'e',
      OPENAI_BASE_URL: 'http://e/v1',
    };
    const flags = { address: 'f:1', namespace: 'f', store: 'sqlite:f.db', owner: 'f', taskQueue: 'f' };
    const at = (file: string) => `sqlite:${join(project.folder, file)}`;

    expect(await resolve()).toMatchObject({
      temporal: {
        address: 'c:1',
        namespace: 'c',
        connection: { address: 'c:1', apiKey: 'secret', tls: true },
      },
      store: at('c.db'),
      taskQueue: 'c',
      models: { openai: { baseUrl: 'http://c/v1', apiKey: 'c' } },
    });
    expect(await resolve({}, env)).toMatchObject({
      temporal: { address: 'e:1', namespace: 'e' },
      store: at('e.db'),
      owner: 'e',
      models: { openai: { baseUrl: 'http://e/v1', apiKey: 'c' } },
    });
    expect(await resolve(flags, env)).toMatchObject({
      temporal: { address: 'f:1', namespace: 'f' },
      store: at('f.db'),
      owner: 'f',
      taskQueue: 'f',
    });
  });

  it('takes a variable that is set to nothing as not set', async () => {
    const settings = await resolve({}, { TEMPORAL_ADDRESS: '', DURASCOPE_STORE: '', DURASCOPE_OWNER: '' });
    expect(settings).toMatchObject({ temporal: { address: undefined }, owner: 'local' });
  });

  it('reads paths of the config from where it stands, and those of flags from here', async () => {
    await project.write(
      'app/durascope.config.ts',
      aConfig("store: 'sqlite:c.db'").replace('./agents', '../agents'),
    );
    const flags = { config: 'app/durascope.config.ts' };
    expect((await resolve(flags)).store).toBe(`sqlite:${join(project.folder, 'app/c.db')}`);
    expect((await resolve({ ...flags, store: 'sqlite:f.db' })).store).toBe(
      `sqlite:${join(project.folder, 'f.db')}`,
    );
  });

  it('finds a running dev, and then needs no config, even a broken one', async () => {
    await project.write('durascope.config.ts', 'export default {');
    const stateDir = join(project.folder, '.durascope');
    const dev = {
      pid: process.pid,
      address: 'd:1',
      namespace: 'default',
      store: 'sqlite:/d.db',
      taskQueue: 'd',
      agents: ['support'],
    };
    writeDevRecord(stateDir, dev);
    expect(await resolve()).toMatchObject({
      temporal: { address: 'd:1' },
      store: 'sqlite:/d.db',
      taskQueue: 'd',
      dev,
    });
    expect((await resolve({}, { TEMPORAL_ADDRESS: 'e:1' })).temporal.address).toBe('e:1');
    await expect(resolve({ store: 'postgres://u:hidden@h/x' })).rejects.toMatchObject({
      code: 'store_mismatch',
      message: expect.not.stringContaining('hidden') as string,
    });
    removeDevRecord(stateDir);
    expect(readDevRecord(stateDir)).toBeUndefined();
  });

  it('takes the record of a dev that is gone for none', async () => {
    const stateDir = join(project.folder, '.durascope');
    writeDevRecord(stateDir, {
      pid: 2 ** 22 + 1,
      address: 'd:1',
      namespace: 'd',
      store: 'sqlite:/d.db',
      taskQueue: 'd',
      agents: [],
    });
    expect((await resolve()).temporal.address).toBeUndefined();
    writeFileSync(join(stateDir, 'dev.json'), '{ half');
    expect((await resolve()).temporal.address).toBeUndefined();
  });

  it('names a config that is not there, and what is wrong with one that is', async () => {
    await expect(resolve({ config: 'nope.ts' })).rejects.toMatchObject({
      code: 'config_not_found',
      message: expect.stringContaining('nope.ts') as string,
    });
    await expect(
      resolveSettings({}, { cwd: join(project.folder, 'agents'), env: {}, needsConfig: true }),
    ).rejects.toThrow('There is no durascope.config.ts');
    await project.write('durascope.config.ts', aConfig("stoer: 'x'"));
    await expect(resolve()).rejects.toThrow('there is no such option');
  });

  it('loads what Node alone does not: enums, and imports without an extension', async () => {
    await project.write('agents/kind.ts', "export enum Kind { Support = 'support' }");
    await project.write(
      'durascope.config.ts',
      `import { Kind } from './agents/kind';\n${aConfig('taskQueue: Kind.Support')}`,
    );
    expect((await resolve()).taskQueue).toBe('support');
  });

  it('never shows the password of a store', () => {
    expect(publicStore('postgres://ann:secret@db:5432/x')).toBe('postgres://…@db:5432/x');
    expect(publicStore('postgres://db/x?user=ann&password=secret&ssl=1')).toBe(
      'postgres://db/x?user=ann&password=…&ssl=1',
    );
  });
});
