// A worker with MCP servers, as a process of its own that a test may kill.
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { openWorker, type WorkerPlace } from '../../faults/open-worker.ts';
import { mcpAgent } from './mcp-agent.ts';

const { place, log } = JSON.parse(process.argv[2] ?? '{}') as { place: WorkerPlace; log: string };
Runtime.install({ logger: new DefaultLogger('WARN') });
const worker = await openWorker(place, { agents: [mcpAgent(log)] });
console.log('ready');
await worker.ended;
