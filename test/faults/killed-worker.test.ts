import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Reply, Session } from '../../src/client/index.ts';
import type { ScriptedRequest } from '../../src/testing/index.ts';
import { startStack, type Stack } from '../support/stack.ts';
import { limited } from './limited.ts';
import { expectPaired, expectWholeStory, observe, type Observer } from './observe.ts';
import { openWorker, placeOf, type OpenWorker } from './open-worker.ts';
import { effectsIn, shopAgent, type Effect } from './shop-agent.ts';
import { spawnWorker, type SpawnedWorker } from './spawn-worker.ts';
import type { KillPoint } from './worker-main.ts';

/** A turn with one tool call whose worker dies at one point, and what has to be true in the end. */
interface Plot {
  title: string;
  /** Where the worker kills itself; without it the test kills it from outside. */
  killAt?: KillPoint;
  killFromOutside?: 'in the stream' | 'at the gate';
  tool: 'look' | 'charge' | 'refund' | 'pay';
  /** A step that was asked for again because its answer was not committed. */
  modelCalls?: 3;
  /** The call waits for somebody who finds out whether it happened. */
  reconcile?: 'happened' | 'did_not_happen';
  effects?: 2;
}

const plots: Plot[] = [
  { title: 'before a session is loaded', killAt: 'before sessions.open', tool: 'charge' },
  { title: 'before the turn is opened', killAt: 'before turns.open', tool: 'charge' },
  { title: 'after the turn is opened', killAt: 'after turns.open', tool: 'charge' },
  { title: 'in the middle of the stream', killFromOutside: 'in the stream', tool: 'charge', modelCalls: 3 },
  {
    title: "after the model's answer, before its commit",
    killAt: 'before calls.commitStep',
    tool: 'charge',
    modelCalls: 3,
  },
  { title: "after a step's commit", killAt: 'after calls.commitStep', tool: 'charge' },
  { title: 'before dispatch', killAt: 'before calls.dispatch', tool: 'charge' },
  {
    title: 'after dispatch, before the act',
    killAt: 'after calls.dispatch',
    tool: 'charge',
    reconcile: 'did_not_happen',
  },
  {
    title: 'after the act, before its commit',
    killAt: 'before calls.settle',
    tool: 'charge',
    reconcile: 'happened',
  },
  { title: 'after the commit of the act', killAt: 'after calls.settle', tool: 'charge' },
  { title: 'after dispatch of an idempotent call', killAt: 'after calls.dispatch', tool: 'refund' },
  {
    title: 'after the act of an idempotent call',
    killAt: 'before calls.settle',
    tool: 'refund',
    effects: 2,
  },
  { title: 'after dispatch of a read-only call', killAt: 'after calls.dispatch', tool: 'look' },
  { title: 'after a gate is opened', killAt: 'after turns.setState', tool: 'pay' },
  { title: 'while it waits at a gate', killFromOutside: 'at the gate', tool: 'pay' },
  { title: 'before a confirmation is committed', killAt: 'before calls.move', tool: 'pay' },
  { title: 'just after a confirmation is committed', killAt: 'after calls.move', tool: 'pay' },
  { title: 'before the turn is closed', killAt: 'before turns.close', tool: 'charge' },
  { title: 'after the turn is closed', killAt: 'after turns.close', tool: 'charge' },
];

interface Ending {
  reply: Reply;
  death: NodeJS.Signals | number;
  requests: ScriptedRequest[];
  effects: Effect[];
  observer: Observer;
  session: Session;
}

let folder: string;
const endings = new Map<Plot, Promise<Ending>>();
const stacks: Stack[] = [];
const survivors: OpenWorker[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durascope-faults-'));
  // All at once, because each spends most of its time waiting for Temporal to notice; processes start a few at a time.
  const startLimited = limited(3);
  plots.forEach((plot, i) => {
    const ending = play(plot, join(folder, `effects-${i}`), startLimited);
    ending.catch(() => undefined);
    endings.set(plot, ending);
  });
});
afterAll(async () => {
  await Promise.all(survivors.map((worker) => worker.stop()));
  await Promise.all(stacks.map((stack) => stack.stop()));
  await rm(folder, { recursive: true, force: true });
});

async function play(plot: Plot, effectsFile: string, start: ReturnType<typeof limited>): Promise<Ending> {
  const agent = shopAgent(effectsFile);
  const stack = await startStack({ agents: [agent], isStarted: false });
  stacks.push(stack);
  const { model } = stack;
  const place = placeOf(stack);
  model.answers((request) =>
    request.results().length === 0
      ? { kind: 'answer', parts: proposal(plot.tool), options: { fragment: 4 } }
      : { kind: 'answer', parts: [{ type: 'text', text: 'All done.' }], options: {} },
  );
  if (plot.killFromOutside === 'in the stream')
    model.hangs({
      before: 'afterChunks',
      chunks: 6,
      step: { kind: 'answer', parts: proposal(plot.tool), options: { fragment: 4 } },
    });

  const victim = await start(() =>
    spawnWorker({ place, effectsFile, ...(plot.killAt === undefined ? {} : { killAt: plot.killAt }) }),
  );
  const survivor = victim.ended.then(async () => {
    survivors.push(await openWorker(place, { agents: [agent] }));
  });
  const session = stack.session(agent);
  const observer = observe(session);
  const turn = await session.submit('Do it for order 7');
  if (plot.killFromOutside === 'in the stream') {
    await observer.find(({ kind }) => kind === 'text_delta');
    victim.kill('SIGKILL');
  }
  let reply = await turn.result();
  while (reply.pending.length > 0) {
    await pass(plot, session, reply, victim);
    reply = await turn.result();
  }
  await survivor;
  return {
    reply,
    death: await victim.ended,
    requests: model.requests,
    effects: effectsIn(effectsFile),
    observer,
    session,
  };
}

function proposal(tool: string) {
  const call = { type: 'call' as const, name: tool, arguments: '{"orderId":"7"}', id: undefined };
  return [{ type: 'text' as const, text: 'I will do that for you right away.' }, call];
}

/** What people do at the gates. */
async function pass(plot: Plot, session: Session, reply: Reply, victim: SpawnedWorker): Promise<void> {
  const [call] = reply.pending;
  if (call?.state === 'asking') {
    if (plot.killFromOutside === 'at the gate') victim.kill('SIGKILL');
    await session.confirm([{ callId: call.callId, decision: 'allow' }]);
    return;
  }
  if (call?.state !== 'uncertain' || !plot.reconcile) throw new Error(`an unforeseen gate: ${call?.state}`);
  await session.reconcile([{ callId: call.callId, outcome: plot.reconcile, reason: 'looked it up' }]);
}

describe('a worker that is killed', () => {
  it.each(plots)('$title: another ends the turn right', { timeout: 120_000 }, async (plot) => {
    const { reply, death, requests, effects, observer, session } = (await endings.get(plot))!;

    expect(death).toBe('SIGKILL');
    expect(reply).toMatchObject({ finishReason: 'model_stop', text: 'All done.', pending: [] });
    expect(requests).toHaveLength(plot.modelCalls ?? 2);
    expect(effects).toHaveLength(plot.effects ?? 1);
    expect(new Set(effects.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    for (const request of requests) expectPaired(request);
    expect(requests.at(-1)?.results()).toHaveLength(1);
    const isReconciled = observer.events.some(({ kind }) => kind === 'require_reconciliation');
    expect(isReconciled).toBe(plot.reconcile !== undefined);
    await expectWholeStory(observer, session);
    await observer.stop();
  });
});
