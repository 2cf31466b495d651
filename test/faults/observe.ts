import { expect } from 'vitest';
import type { Session } from '../../src/client/index.ts';
import { foldEvents } from '../../src/core/fold-events.ts';
import type { AgentEvent } from '../../src/schema/event.ts';
import type { Msg } from '../../src/schema/message.ts';
import type { ScriptedRequest } from '../../src/testing/index.ts';

export interface Observer {
  events: AgentEvent[];
  /** Resolves with the first event that matches, seen already or to come. */
  find(matches: (event: AgentEvent) => boolean): Promise<AgentEvent>;
  stop(): Promise<void>;
}

/** Somebody who was connected all along. */
export function observe(session: Session): Observer {
  const events: AgentEvent[] = [];
  const waiters = new Set<() => void>();
  const ending = new AbortController();
  const following = (async () => {
    for await (const event of session.events({ signal: ending.signal })) {
      events.push(event);
      for (const wake of waiters) wake();
      waiters.clear();
    }
  })();
  return {
    events,
    async find(matches) {
      for (;;) {
        const seen = events.find(matches);
        if (seen) return seen;
        await new Promise<void>((resolve) => waiters.add(resolve));
      }
    },
    async stop() {
      ending.abort();
      await following;
    },
  };
}

/** Reads the session's log as a latecomer does, up to and with the end of its newest turn. */
export async function replay(session: Session, turns = 1): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  let ends = 0;
  for await (const event of session.events()) {
    events.push(event);
    ends += event.kind === 'turn_end' ? 1 : 0;
    if (ends === turns) break;
  }
  return events;
}

export async function transcript(session: Session): Promise<Msg[]> {
  return (await session.messages({ limit: 200 })).items;
}

/** No event twice, none missing that the log keeps, and all of them fold to what is stored: for who watched, and for who comes late. */
export async function expectWholeStory(observer: Observer, session: Session, turns = 1): Promise<void> {
  const kept = await replay(session, turns);
  await observer.find(({ id }) => id === kept.at(-1)?.id);
  const ids = observer.events.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
  expect(ids).toEqual(expect.arrayContaining(kept.map(({ id }) => id)));
  const stored = await transcript(session);
  expect(foldEvents(observer.events)).toEqual(stored);
  expect(foldEvents(kept)).toEqual(stored);
}

/** What an endpoint insists on: after a message with calls come exactly their results, in order. */
export function expectPaired(request: ScriptedRequest): void {
  request.messages.forEach((message, at) => {
    if (message.role === 'tool') return;
    const results: (string | undefined)[] = [];
    for (let next = at + 1; request.messages[next]?.role === 'tool'; next += 1)
      results.push(request.messages[next]?.callId);
    expect(results).toEqual(message.calls.map(({ id }) => id));
  });
}
