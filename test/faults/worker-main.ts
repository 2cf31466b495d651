// A worker as a process of its own, told by one JSON argument where everything is and at which point it dies.
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { hookStore, type StoreMethod } from './hook-store.ts';
import { openWorker, type WorkerPlace } from './open-worker.ts';
import { shopAgent } from './shop-agent.ts';
import { chief } from './subagent-agents.ts';
import { teamLead } from './team-agents.ts';

/** Just before, or just after, a write of the store: the first, or the nth. */
export type KillPoint = `${'before' | 'after'} ${StoreMethod}${'' | ` ${number}`}`;

export interface WorkerOrder {
  place: WorkerPlace;
  effectsFile: string;
  killAt?: KillPoint;
  /** It does not keep its workflows for long: any other worker may take the next task. */
  isLoose?: boolean;
}

/** SIGKILL leaves nothing time to clean up; nothing after it may run. */
async function die(): Promise<void> {
  times += 1;
  if (times < Number(nth)) return;
  process.kill(process.pid, 'SIGKILL');
  await new Promise(() => {});
}

const { place, effectsFile, killAt, isLoose = false } = JSON.parse(process.argv[2] ?? '{}') as WorkerOrder;
Runtime.install({ logger: new DefaultLogger('WARN') });
const [when, method, nth = '1'] = (killAt ?? '').split(' ') as ['before' | 'after', StoreMethod, string?];
let times = 0;
const worker = await openWorker(place, {
  agents: [shopAgent(effectsFile), teamLead, chief],
  temporal: isLoose ? { stickyQueueScheduleToStartTimeout: 100 } : {},
  ...(killAt === undefined ? {} : { wrapStore: (store) => hookStore(store, method, { [when]: die }) }),
});
process.once('SIGTERM', () => void worker.stop());
console.log('ready');
await worker.ended;
