import { TestWorkflowEnvironment } from '@temporalio/testing';
import { expect, it } from 'vitest';
import { findTestServer } from './find-test-server.ts';

it('finds a server that skips time', async () => {
  const executable = { type: 'existing-path' as const, path: findTestServer() };
  const environment = await TestWorkflowEnvironment.createTimeSkipping({ server: { executable } });
  try {
    const before = await environment.currentTimeMs();
    await environment.sleep('3 days');
    expect(await environment.currentTimeMs()).toBeGreaterThanOrEqual(before + 3 * 24 * 3_600_000);
  } finally {
    await environment.teardown();
  }
});
