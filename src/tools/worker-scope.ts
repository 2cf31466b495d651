import type { ModelRegistry } from '../model/registry.ts';

/** What lives as long as a worker: connections to servers, processes. */
export interface Resource {
  close(): Promise<void>;
}

/** Names a resource of a type. */
export interface ResourceKey<T extends Resource> {
  readonly name: string;
  /** Never set: it carries the type. */
  readonly type?: T;
}

/** Owners' secrets, such as tokens that were fetched for them: encrypted in the store. */
export interface Vault {
  read(owner: string, name: string): Promise<string | undefined>;
  /** `undefined` deletes it. */
  write(owner: string, name: string, value: string | undefined): Promise<void>;
}

/** What tool sources get of the worker that they run in. */
export interface WorkerScope {
  /** The worker's one resource of that key, opened when it is asked for the first time, and closed when the worker ends. */
  resource<T extends Resource>(key: ResourceKey<T>, open: () => T): T;
  vault: Vault;
  models: ModelRegistry;
}
