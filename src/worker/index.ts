export { createWorker, type DurascopeWorker, type WorkerOptions } from './create-worker.ts';
export type { GateHook, GateNotice, RulesOfOwner } from '../activities/deps.ts';
export { openStore, type OpenStore } from '../store/open-store.ts';
