export { createWorker, type DurascopeWorker, type WorkerOptions } from './create-worker.ts';
export { openStore, type OpenStore } from '../store/open-store.ts';
