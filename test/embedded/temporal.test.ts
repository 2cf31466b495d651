import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startEmbeddedTemporal } from '../../src/embedded/temporal.ts';
import { sharedTemporal } from '../support/temporal.ts';

describe('startEmbeddedTemporal', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'durascope-embedded-'));
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('starts a server of its own that keeps its state in the data folder', async () => {
    vi.stubEnv('TEMPORAL_ADDRESS', undefined);
    const temporal = await startEmbeddedTemporal({ dataDir, port: 0, uiPort: 0, namespace: 'shop' });
    await temporal.stop();
    expect(temporal).toMatchObject({ namespace: 'shop', dbFile: join(dataDir, 'temporal.db') });
    expect(temporal.pid).toBeTypeOf('number');
  });

  it('uses the server that TEMPORAL_ADDRESS names, and leaves it running', async () => {
    const { address } = sharedTemporal();
    vi.stubEnv('TEMPORAL_ADDRESS', address);
    vi.stubEnv('TEMPORAL_NAMESPACE', 'default');
    const temporal = await startEmbeddedTemporal({ dataDir });
    expect(temporal).toMatchObject({ address, namespace: 'default', pid: undefined, uiUrl: undefined });
    await temporal.stop();
    await expect(startEmbeddedTemporal({ dataDir })).resolves.toMatchObject({ address });
  });

  it('names TEMPORAL_ADDRESS and the ways out when nothing answers there', async () => {
    vi.stubEnv('TEMPORAL_ADDRESS', '127.0.0.1:1');
    await expect(startEmbeddedTemporal({ dataDir })).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(/TEMPORAL_ADDRESS is 127\.0\.0\.1:1.*unset TEMPORAL_ADDRESS/) as string,
    });
  });
});
