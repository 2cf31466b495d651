// A worker in a process of its own. Where Temporal and the store are comes from TEMPORAL_ADDRESS and DURASCOPE_STORE.
import { createWorker } from 'durascope/worker';
import { support } from './agent.ts';

const taskQueue = process.env['ORDER_SUPPORT_QUEUE'];
const worker = await createWorker({ agents: [support], ...(taskQueue ? { taskQueue } : {}) });
console.log('ready');
await worker.run();
