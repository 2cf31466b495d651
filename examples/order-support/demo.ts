// `npm run demo`: one turn of the order-support agent that loses its worker at the worst moment, and finishes.
import { createInterface } from 'node:readline/promises';
import type { Session, Turn } from 'durascope/client';
import { Gates } from '../stage/gates.ts';
import { runExample, type Play } from '../stage/run-example.ts';
import { eventPrinter } from '../stage/show-event.ts';
import { proveRefund } from './stage/proof.ts';
import { startStack, type Stack } from './stage/stack.ts';
import type { WorkerProcess } from './stage/worker-process.ts';

/** After this long without a heartbeat, Temporal gives an activity to another worker. */
const heartbeatSeconds = 10;

await runExample(
  {
    script: 'demo',
    approves: 'the refund by itself, and ends without waiting for anybody',
    keeps: 'the state of Temporal, the transcripts and the shop',
    folder: '.durascope/demo',
    onInterrupt: (folder) => `The turn is kept in ${folder}: the next demo goes on with it beside its own.`,
  },
  demo,
);

async function demo(play: Play): Promise<number> {
  const { terminal } = play;
  terminal.line('Durascope demo: a turn that outlives its worker');
  terminal.line();
  const stack = await startStack(play);
  const { temporal, shop, durascope } = stack;
  terminal.line(`  Temporal   ${temporal.address}, ${temporal.uiUrl ?? 'named by TEMPORAL_ADDRESS'}`);
  terminal.line(`  Admin page ${stack.adminPageUrl}`);
  terminal.line(`  Model      ${stack.modelName}`);
  const first = await stack.startWorker('worker-1');
  terminal.line(`  Worker 1   process ${first.pid}`);

  const [mug, kettle] = shop.placeOrders('Ada');
  const question = `The mug of order ${mug} arrived broken: please pay it back, and send a new one if you can. And where is order ${kettle}?`;
  terminal.line(`\nCustomer: ${question}\n`);
  // The time, because a server that TEMPORAL_ADDRESS names may know the same order of another shop.
  const id = `case-${mug}-${Date.now().toString(36)}`;
  const session = durascope.session({ owner: 'demo', id, agent: 'support' });
  const turn = await Promise.race([session.submit(question), stack.workerLost]);
  const shown = await Promise.race([follow(play, stack, { session, turn, first }), stack.workerLost]);
  const { finishReason } = await turn.result({ until: 'end' });
  if (!shown.isWorkerLost)
    terminal.stage('No worker was killed this time: that happens while a refund is under way.');

  const proof = proveRefund(shop, mug, shown.succeeded);
  terminal.stage(`From the shop's own rows, ${stack.shopFile}`);
  for (const line of proof.lines) terminal.line(`  ${line}`);
  await showWorkflow(play, stack, turn);
  return proof.isRight && finishReason === 'model_stop' ? 0 : 1;
}

interface Shown {
  /** Refunds that came back with success. */
  succeeded: number;
  isWorkerLost: boolean;
}

/** Shows the turn's events, asks at its gates, and loses the worker in the middle of the refund. */
async function follow(
  play: Play,
  stack: Stack,
  { session, turn, first }: { session: Session; turn: Turn; first: WorkerProcess },
): Promise<Shown> {
  const print = eventPrinter(play.terminal);
  const gates = new Gates(play, session, stack.temporal);
  const refundCalls = new Set<string>();
  let succeeded = 0;
  let isWorkerLost = false;

  for await (const event of turn.events()) {
    print(event);
    gates.see(event);
    switch (event.kind) {
      case 'tool_call_start':
        if (event.name === 'refund_order') refundCalls.add(event.callId);
        break;
      case 'tool_result_delta':
        if (isWorkerLost || !event.progress || !refundCalls.has(event.callId)) break;
        isWorkerLost = true;
        await loseWorker(play, stack, first);
        break;
      case 'tool_result_end':
        if (refundCalls.has(event.callId) && event.state === 'success') succeeded += 1;
        break;
      default:
    }
  }
  return { succeeded, isWorkerLost };
}

/** The refund is booked in the shop and nobody has been told: no moment is worse to lose a worker. */
async function loseWorker({ terminal }: Play, stack: Stack, first: WorkerProcess): Promise<void> {
  await first.kill();
  terminal.stage(
    `SIGKILL to worker 1 (process ${first.pid}): the shop has booked the refund,\nand the worker died before it could record that.`,
  );
  const second = await stack.startWorker('worker-2');
  terminal.line(`  Worker 2   process ${second.pid}`);
  terminal.countDown(
    heartbeatSeconds,
    (left) => `Worker 1 is silent: Temporal moves its call to worker 2 in about ${left} s`,
  );
}

async function showWorkflow(
  { terminal, isAutomatic }: Play,
  { temporal, temporalClient }: Stack,
  turn: Turn,
): Promise<void> {
  const { historyLength, runId } = await temporalClient.workflow.getHandle(turn.id).describe();
  terminal.stage(`The turn is workflow ${turn.id}, with ${historyLength} history events`);
  if (temporal.uiUrl === undefined) return;
  const path = `/namespaces/${temporal.namespace}/workflows/${encodeURIComponent(turn.id)}/${runId}/history`;
  terminal.line(`  Temporal Web: ${temporal.uiUrl}${path}`);
  if (isAutomatic || !process.stdin.isTTY) return;
  const input = createInterface({ input: process.stdin, output: process.stdout });
  input.on('SIGINT', () => input.close());
  const enter = new Promise((done) => input.once('line', done).once('close', done));
  terminal.line('\nTemporal Web and the admin page stay open until you press Enter.');
  await enter;
  input.close();
}
