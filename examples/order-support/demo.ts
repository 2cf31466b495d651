// `npm run demo`: one turn of the order-support agent that loses its worker at the worst moment, and finishes.
import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import type { GateCall } from 'durascope';
import type { Session, Turn } from 'durascope/client';
import { approve } from './stage/approve.ts';
import { proveRefund } from './stage/proof.ts';
import { eventPrinter } from './stage/show-event.ts';
import { startStack, type Stack } from './stage/stack.ts';
import { Terminal } from './stage/terminal.ts';
import type { WorkerProcess } from './stage/worker-process.ts';

const { values: options } = parseArgs({
  options: {
    yes: { type: 'boolean', default: false },
    dir: { type: 'string', default: '.durascope/demo' },
    help: { type: 'boolean', default: false },
  },
});
const usage = `npm run demo -- [--yes] [--dir FOLDER]

  --yes   approves the refund by itself, and ends without waiting for anybody
  --dir   keeps the state of Temporal, the transcripts and the shop here (default .durascope/demo)

With OPENAI_API_KEY (or OPENAI_BASE_URL) a real model answers: openai/gpt-5-mini, or what DURASCOPE_DEMO_MODEL names.`;

/** After this long without a heartbeat, Temporal gives an activity to another worker. */
const heartbeatSeconds = 10;

const terminal = new Terminal();
const stops: (() => unknown)[] = [];
let isStopping = false;

if (options.help) console.log(usage);
else await main();

async function main(): Promise<void> {
  process.once('SIGINT', () => void interrupted());
  process.once('SIGTERM', () => void interrupted());
  try {
    process.exitCode = await demo();
  } catch (error) {
    // What fails while all is being stopped is no news.
    if (isStopping) return;
    terminal.line(`\n${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
  await stopAll();
}

async function demo(): Promise<number> {
  terminal.line('Durascope demo: a turn that outlives its worker');
  terminal.line();
  const stack = await startStack(
    resolve(options.dir),
    (line) => terminal.line(`  ${line}`),
    (stop) => stops.push(stop),
  );
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
  const shown = await Promise.race([follow(stack, session, turn, first), stack.workerLost]);
  const { finishReason } = await turn.result({ until: 'end' });
  if (!shown.isWorkerLost)
    terminal.stage('No worker was killed this time: that happens while a refund is under way.');

  const proof = proveRefund(shop, mug, shown.succeeded);
  terminal.stage(`From the shop's own rows, ${stack.shopFile}`);
  for (const line of proof.lines) terminal.line(`  ${line}`);
  await showWorkflow(stack, turn);
  return proof.isRight && finishReason === 'model_stop' ? 0 : 1;
}

interface Shown {
  /** Refunds that came back with success. */
  succeeded: number;
  isWorkerLost: boolean;
}

/** Shows the turn's events, asks at its gates, and loses the worker in the middle of the refund. */
async function follow(stack: Stack, session: Session, turn: Turn, first: WorkerProcess): Promise<Shown> {
  const print = eventPrinter(terminal);
  const gates = new Map<string, AbortController>();
  const refundCalls = new Set<string>();
  let succeeded = 0;
  let isWorkerLost = false;

  const openGate = (call: GateCall): void => {
    const gate = new AbortController();
    gates.set(call.callId, gate);
    const { temporal } = stack;
    const isAutomatic = options.yes;
    // Not awaited, because the answer may come from elsewhere, as an event.
    approve({ session, turnId: turn.id, call, temporal, isAutomatic, terminal, signal: gate.signal }).catch(
      (error: unknown) => terminal.line(`  The answer was not taken: ${String(error)}`),
    );
  };

  for await (const event of turn.events()) {
    print(event);
    switch (event.kind) {
      case 'tool_call_start':
        if (event.name === 'refund_order') refundCalls.add(event.callId);
        break;
      case 'require_user_confirm':
        event.calls.forEach(openGate);
        break;
      case 'gate_answered':
        gates.get(event.callId)?.abort();
        break;
      case 'tool_result_delta':
        if (isWorkerLost || !event.progress || !refundCalls.has(event.callId)) break;
        isWorkerLost = true;
        await loseWorker(stack, first);
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
async function loseWorker(stack: Stack, first: WorkerProcess): Promise<void> {
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

async function showWorkflow({ temporal, temporalClient }: Stack, turn: Turn): Promise<void> {
  const { historyLength, runId } = await temporalClient.workflow.getHandle(turn.id).describe();
  terminal.stage(`The turn is workflow ${turn.id}, with ${historyLength} history events`);
  if (temporal.uiUrl === undefined) return;
  const path = `/namespaces/${temporal.namespace}/workflows/${encodeURIComponent(turn.id)}/${runId}/history`;
  terminal.line(`  Temporal Web: ${temporal.uiUrl}${path}`);
  if (options.yes || !process.stdin.isTTY) return;
  const input = createInterface({ input: process.stdin, output: process.stdout });
  input.on('SIGINT', () => input.close());
  const enter = new Promise((done) => input.once('line', done).once('close', done));
  terminal.line('\nTemporal Web and the admin page stay open until you press Enter.');
  await enter;
  input.close();
}

async function interrupted(): Promise<void> {
  terminal.line(
    `\nStopping. The turn is kept in ${options.dir}: the next demo goes on with it beside its own.`,
  );
  await stopAll();
  process.exit(130);
}

/** In reverse: what was started last may need what was started before. */
async function stopAll(): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  terminal.endCountdown();
  for (const stop of stops.toReversed()) await stop();
}
