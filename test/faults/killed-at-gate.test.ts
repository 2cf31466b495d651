import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PendingCall, Reply, Session } from '../../src/client/index.ts';
import type { Confirmation } from '../../src/contracts/inputs.ts';
import type { ScriptedRequest } from '../../src/testing/index.ts';
import { startStack, type Stack } from '../support/stack.ts';
import { limited } from './limited.ts';
import { expectPaired, expectWholeStory, observe, type Observer } from './observe.ts';
import { openWorker, placeOf, type OpenWorker } from './open-worker.ts';
import { effectsIn, shopAgent, type Effect } from './shop-agent.ts';
import { spawnWorker } from './spawn-worker.ts';
import type { KillPoint } from './worker-main.ts';

/** What a person answers while the first of two calls asks. */
const answers = {
  /** Settles the second one too. */
  'allow and remember': (call: PendingCall): Confirmation => ({
    callId: call.callId,
    decision: 'allow',
    remember: call.suggestedRules ?? [],
  }),
  allow: ({ callId }: PendingCall): Confirmation => ({ callId, decision: 'allow' }),
  edit: ({ callId }: PendingCall): Confirmation => ({ callId, decision: 'allow', input: { orderId: '9' } }),
  deny: ({ callId }: PendingCall): Confirmation => ({ callId, decision: 'deny', reason: 'no money' }),
};

/** A turn with two calls that ask, whose worker dies at one point of its own way through the gate. */
interface Plot {
  killAt: KillPoint;
  answer: keyof typeof answers;
}

const plots: Plot[] = [
  // While it asks.
  { killAt: 'before turns.setState', answer: 'allow' },
  { killAt: 'after turns.setState', answer: 'allow and remember' },
  // While the answer is under way: it was sent, and is not committed, or only in part.
  { killAt: 'before sessions.changePermissions', answer: 'allow and remember' },
  { killAt: 'after sessions.changePermissions', answer: 'allow and remember' },
  { killAt: 'before calls.move', answer: 'edit' },
  { killAt: 'after calls.move', answer: 'edit' },
  { killAt: 'after calls.move', answer: 'allow and remember' },
  { killAt: 'before calls.settle', answer: 'deny' },
  { killAt: 'after calls.settle', answer: 'deny' },
  // Just after: all of it is committed, and the turn does not know.
  { killAt: 'after calls.move 2', answer: 'allow and remember' },
  { killAt: 'after turns.setState 2', answer: 'allow and remember' },
  { killAt: 'after turns.setState 2', answer: 'allow' },
];

/** All plots are played at once: the first test waits for most of them. */
const endingMs = 180_000;

interface Ending {
  reply: Reply;
  death: NodeJS.Signals | number;
  asked: number;
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
  stack.model
    .calls([
      ['pay', { orderId: '7' }],
      ['pay', { orderId: '8' }],
    ])
    .says('All done.');
  const place = placeOf(stack);
  const victim = await start(() => spawnWorker({ place, effectsFile, killAt: plot.killAt }));
  const survivor = victim.ended.then(async () => {
    survivors.push(await openWorker(place, { agents: [agent] }));
  });
  const session = stack.session(agent);
  const observer = observe(session);
  const turn = await session.submit('Pay both');
  let asked = 0;
  let reply = await turn.result();
  while (reply.pending.length > 0) {
    const [call] = reply.pending;
    if (!call) break;
    asked += 1;
    await session.confirm([answers[asked === 1 ? plot.answer : 'allow'](call)], { actor: 'ann' });
    reply = await turn.result();
  }
  await survivor;
  const effects = effectsIn(effectsFile);
  return {
    reply,
    death: await victim.ended,
    asked,
    requests: stack.model.requests,
    effects,
    observer,
    session,
  };
}

/** What was done in the end, after each answer to the first call. */
const done: Record<Plot['answer'], { orders: string[]; asked: number }> = {
  'allow and remember': { orders: ['7', '8'], asked: 1 },
  allow: { orders: ['7', '8'], asked: 2 },
  edit: { orders: ['9', '8'], asked: 2 },
  deny: { orders: ['8'], asked: 2 },
};

describe('a worker that is killed at a gate', () => {
  it.each(plots)(
    '$killAt, answered with $answer: another ends the turn right',
    async (plot) => {
      const { reply, death, asked, requests, effects, observer, session } = (await endings.get(plot))!;

      expect(death).toBe('SIGKILL');
      expect(reply).toMatchObject({ finishReason: 'model_stop', text: 'All done.', pending: [] });
      expect(effects.map(({ orderId }) => orderId)).toEqual(done[plot.answer].orders);
      expect(asked).toBe(done[plot.answer].asked);
      expect(requests).toHaveLength(2);
      for (const request of requests) expectPaired(request);

      const { items } = await session.audit();
      const byPeople = items.filter(({ by }) => by === 'person');
      expect(byPeople.map(({ callId }) => callId)).toEqual([
        ...new Set(byPeople.map(({ callId }) => callId)),
      ]);
      expect(byPeople).toHaveLength(asked);
      await expectWholeStory(observer, session);
      await observer.stop();
    },
    endingMs,
  );
});
