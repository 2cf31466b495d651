import type { Resource, ResourceKey, WorkerScope } from '../tools/worker-scope.ts';

/** What lives as long as one worker. Resources are closed in the reverse order of their opening. */
export function openWorkerScope(
  parts: Pick<WorkerScope, 'vault' | 'models'>,
): WorkerScope & { close(): Promise<void> } {
  const opened = new Map<string, Resource>();
  return {
    ...parts,
    resource<T extends Resource>({ name }: ResourceKey<T>, open: () => T): T {
      const known = opened.get(name);
      if (known) return known as T;
      const resource = open();
      opened.set(name, resource);
      return resource;
    },
    async close() {
      const all = [...opened.values()].toReversed();
      opened.clear();
      await Promise.allSettled(all.map((resource) => resource.close()));
    },
  };
}
