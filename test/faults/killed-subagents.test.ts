import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Session } from '../../src/client/index.ts';
import { foldEvents } from '../../src/core/fold-events.ts';
import type { AgentEvent } from '../../src/schema/event.ts';
import { calls, says } from '../../src/testing/index.ts';
import { startStack, type Stack } from '../support/stack.ts';
import { openWorker, placeOf, type OpenWorker } from './open-worker.ts';
import { spawnWorker } from './spawn-worker.ts';
import { chief } from './subagent-agents.ts';

const story = 'A long answer of the assistant, which is told in many pieces to those who listen.';

let folder: string;
let stack: Stack;
let survivor: OpenWorker;
const logs = new Map<string, AgentEvent[]>();
const waiters: { sessionId: string; matches: (event: AgentEvent) => boolean; resolve: () => void }[] = [];

/** Reads a session's log to its end, and loses its connection after each few events. */
async function follow(session: Session, until: (event: AgentEvent) => boolean): Promise<AgentEvent[]> {
  const seen: AgentEvent[] = [];
  logs.set(session.id, seen);
  for (;;) {
    let count = 0;
    for await (const event of session.events({ after: seen.at(-1)?.id ?? 0 })) {
      seen.push(event);
      for (const waiter of waiters)
        if (waiter.sessionId === session.id && waiter.matches(event)) waiter.resolve();
      if (until(event)) return seen;
      if ((count += 1) === 3) break;
    }
  }
}

/** Resolves when somebody who follows sees it. */
function seen(sessionId: string, matches: (event: AgentEvent) => boolean): Promise<void> {
  return new Promise((resolve) => {
    waiters.push({ sessionId, matches, resolve });
  });
}

const hasEnded =
  (turn: number) =>
  ({ kind, path, turnId }: AgentEvent) =>
    kind === 'turn_end' && !path && turnId.endsWith(`/${turn}`);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durascope-faults-'));
  stack = await startStack({ agents: [chief], isStarted: false });
  const place = placeOf(stack);
  const { model } = stack;
  let hasHung = false;
  model.answers((request) => {
    const { system, messages } = request;
    if (system.includes('I am the assistant.')) {
      const isFirst = !hasHung;
      hasHung = true;
      const answer = says(story, { fragment: 4 });
      return isFirst ? { ...answer, cut: { afterChunks: 8, how: 'hang' } } : answer;
    }
    const tool = messages[0]?.text ?? '';
    if (request.results().length > 0) return says('Well.');
    return calls(tool, tool === 'assistant' ? { prompt: 'Tell' } : {});
  });
  const victim = await spawnWorker({ place, effectsFile: join(folder, 'effects') });
  const sessions = ['assistant', 'repeatable', 'once'].map(
    (name) => [name, stack.session(chief, name)] as const,
  );
  const isUnderWay = Promise.all([
    seen('assistant', ({ kind, path }) => kind === 'text_delta' && path !== undefined),
    seen('repeatable', hasEnded(1)),
    seen('once', hasEnded(1)),
  ]);
  const following = sessions.map(async ([name, session]) => {
    await session.submit(name);
    return follow(session, hasEnded(name === 'assistant' ? 1 : 2));
  });
  await isUnderWay;
  victim.kill('SIGKILL');
  await victim.ended;
  survivor = await openWorker(place, { agents: [chief] });
  await Promise.all(following);
}, 120_000);
afterAll(async () => {
  await survivor?.stop();
  await stack?.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('a worker that is killed', () => {
  it('while a subagent answers: its events are at the caller in order, once, for who lost the connection too', async () => {
    const log = logs.get('assistant')!;
    const ids = log.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
    const session = stack.session(chief, 'assistant');
    const [child] = (await stack.client.sessions(session.owner, { parent: session.id })).items;
    const below = stack.client.session({ owner: session.owner, id: child!.ref.sessionId });
    const told = log.filter(({ path }) => path !== undefined).map(withoutPath);
    expect(foldEvents(told)).toEqual((await below.messages()).items);
    expect(JSON.stringify(foldEvents(told))).toContain(story);
    expect(told.some((event) => event.kind === 'model_call_start' && event.attempt > 1)).toBe(true);
    expect(await session.turn(1).result()).toMatchObject({ finishReason: 'model_stop', text: 'Well.' });
  });

  it('while a repeatable tool runs in the background: another runs it, and its result is told', () => {
    const log = logs.get('repeatable')!;
    const states = log.flatMap((event) => (event.kind === 'background_task' ? event.state : []));
    expect(states).toEqual(['running', 'completed']);
    expect(JSON.stringify(log.filter(({ kind }) => kind === 'hint' || kind === 'input'))).toContain(
      'done at last',
    );
  });

  it('while any other tool runs in the background: that it may have happened is told', () => {
    const log = logs.get('once')!;
    const states = log.flatMap((event) => (event.kind === 'background_task' ? event.state : []));
    expect(states).toEqual(['running', 'failed']);
    expect(JSON.stringify(log.filter(({ kind }) => kind === 'hint' || kind === 'input'))).toContain(
      'may or may not have happened',
    );
  });
});

function withoutPath(event: AgentEvent): AgentEvent {
  const { path: _, ...rest } = event;
  return rest;
}
