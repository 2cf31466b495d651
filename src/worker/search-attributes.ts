import type { NativeConnection } from '@temporalio/worker';
import { searchAttributes } from '../contracts/search-attributes.ts';

const warned = new Set<string>();

/** Whether the cluster knows our search attributes. Where it does not, it says so once, and workflows do without. */
export async function hasSearchAttributes(connection: NativeConnection, namespace: string): Promise<boolean> {
  const wanted = Object.values(searchAttributes).map(({ name }) => name);
  const missing = await connection.operatorService
    .listSearchAttributes({ namespace })
    .then(({ customAttributes }) => wanted.filter((name) => !(name in (customAttributes ?? {}))))
    .catch(() => wanted);
  if (missing.length > 0 && !warned.has(namespace)) {
    warned.add(namespace);
    console.warn(
      `Namespace ${namespace} lacks the search attributes ${missing.join(', ')}: turns run, but can't be filtered by them in Temporal Web. Register them with "temporal operator search-attribute create".`,
    );
  }
  return missing.length === 0;
}
