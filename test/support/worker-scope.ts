import type { ToolSourceContext } from '../../src/tools/tool-source.ts';
import { createModelRegistry } from '../../src/model/registry.ts';
import type { Vault, WorkerScope } from '../../src/tools/worker-scope.ts';
import { openWorkerScope } from '../../src/worker/worker-scope.ts';
import { memorySlots } from '../../src/tools/memory-slots.ts';

/** Secrets in memory. */
export function memoryVault(): Vault {
  const kept = new Map<string, string>();
  const keyOf = (owner: string, name: string) => JSON.stringify([owner, name]);
  return {
    read: async (owner, name) => kept.get(keyOf(owner, name)),
    async write(owner, name, value) {
      if (value === undefined) kept.delete(keyOf(owner, name));
      else kept.set(keyOf(owner, name), value);
    },
  };
}

/** A worker's scope without a worker. */
export function testScope(vault = memoryVault()): WorkerScope & { close(): Promise<void> } {
  return openWorkerScope({ vault, models: createModelRegistry() });
}

/** What a source is asked with. */
export function aSourceContext(overrides: Partial<ToolSourceContext> = {}): ToolSourceContext {
  return {
    ref: { owner: 'acme', sessionId: 's1' },
    agent: 'support',
    model: 'openai/gpt-test',
    workingDirectories: [],
    worker: testScope(),
    slots: memorySlots(),
    signal: new AbortController().signal,
    ...overrides,
  };
}
