import { DurascopeError, type DurascopeClient, type Session, type Turn } from '../../src/client/index.ts';
import type { Row } from '../support/figure.ts';
import type { Stage } from '../support/stage.ts';
import { turnScript } from '../support/turn-script.ts';

const width = 20;
/** The worker's cache, full in the idle worker too: what waits is nine tenths outside of it. */
const maxCachedWorkflows = 100;

interface Parked {
  session: Session;
  turn: Turn;
}

/** Turns that wait and are not cached, in a worker that does nothing else; and then all of them answered at once. */
export async function parkedTurns(stage: Stage): Promise<Row[]> {
  const count = stage.isQuick ? 20 : 500;
  const taskQueue = stage.newName();
  const worker = await stage.startWorker({ taskQueue, maxCachedWorkflows });
  const client = await stage.clientOf(taskQueue);

  // The idle worker has done as much: code is compiled, pools are full, and nothing waits.
  await answerAll(await park(client, `${taskQueue}-before`, count));
  const idle = await worker.call<number>('memory');
  const parked = await park(client, taskQueue, count);
  const waiting = await worker.call<number>('memory');
  const begin = performance.now();
  const reasons = await answerAll(parked);
  const seconds = (performance.now() - begin) / 1000;
  await worker.stop();
  return [
    {
      figure: `growth of an idle worker (${Math.round(idle)} MB) by ${count} turns at gates, evicted`,
      unit: 'MB',
      measured: waiting - idle,
      target: { atMost: 20 },
    },
    {
      figure: `of these, answered at once, ended right (in ${seconds.toFixed(0)} s)`,
      unit: 'turns',
      measured: reasons.filter((reason) => reason === 'model_stop').length,
      target: { atLeast: count },
    },
  ];
}

async function park(client: DurascopeClient, prefix: string, count: number): Promise<Parked[]> {
  const parked: Parked[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (next < count) {
        next += 1;
        const session = client.session({ owner: 'bench', id: `${prefix}-${next}`, agent: 'usual' });
        const script = turnScript({ steps: 1, bytes: 32, tool: 'approve' });
        const turn = await session.submit(JSON.stringify(script));
        await turn.result();
        parked.push({ session, turn });
      }
    }),
  );
  return parked;
}

function answerAll(parked: readonly Parked[]): Promise<string[]> {
  return Promise.all(
    parked.map(async ({ session, turn }) => {
      const [call] = (await turn.result()).pending;
      await confirm(session, call?.callId ?? '');
      return (await turn.result({ until: 'end' })).finishReason;
    }),
  );
}

/** As a caller does who is told that nobody answered in time: again, under the same key. */
async function confirm(session: Session, callId: string): Promise<void> {
  for (;;)
    try {
      return await session.confirm([{ callId, decision: 'allow' }], { idempotencyKey: callId });
    } catch (error) {
      if (!(error instanceof DurascopeError && error.code === 'no_worker')) throw error;
    }
}
