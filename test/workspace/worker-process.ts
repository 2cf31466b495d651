// A worker of the coder agent as a process of its own, to be killed.
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { openWorker, type WorkerPlace } from '../faults/open-worker.ts';
import { coderAgent } from './coder-agent.ts';

const { place, root } = JSON.parse(process.argv[2] ?? '{}') as { place: WorkerPlace; root: string };
Runtime.install({ logger: new DefaultLogger('WARN') });
const worker = await openWorker(place, { agents: [coderAgent(root)] });
console.log('ready');
await worker.ended;
