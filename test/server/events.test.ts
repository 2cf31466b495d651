import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { foldEvents } from '../../src/core/fold-events.ts';
import { AgentEvent } from '../../src/schema/event.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { openSse, readUntil } from '../support/sse.ts';
import { startStack, type Stack } from '../support/stack.ts';

const agent = defineAgent({ name: 'writer', model: 'openai/gpt-test', instructions: 'Write.' });

let stack: Stack;
let api: TestApi;
beforeAll(async () => {
  stack = await startStack({ agents: [agent] });
  api = await startApi(stack);
});
afterAll(async () => {
  await api.close();
  await stack.stop();
});

const eventsOf = (session: string, query = '') => `${api.url}/v1/sessions/${session}/events${query}`;

async function submit(session: string, text: string): Promise<string> {
  const { body } = await api.post(`/v1/sessions/${session}/turns`, { input: text, agent: 'writer' });
  return body.turnId as string;
}

async function runTurn(session: string, text: string): Promise<string> {
  const turnId = await submit(session, text);
  expect((await api.get(`/v1/turns/${encodeURIComponent(turnId)}?wait=60`)).body.state).toBe('ended');
  return turnId;
}

const idsOf = (messages: { id?: string | undefined }[]) => messages.map(({ id }) => Number(id));

describe('the events of a session', () => {
  it('are replayed and go on live, each once, in order, as id, kind and event', async () => {
    stack.model.says('First.').says('Second.');
    await runTurn('story', 'one');
    const stream = await openSse(eventsOf('story'));
    const reading = readUntil(stream, 'turn_end', 2);
    await runTurn('story', 'two');
    const messages = await reading;
    const events = messages.map(({ data }) => AgentEvent.parse(JSON.parse(data)));
    expect(messages.map(({ event }) => event)).toEqual(events.map(({ kind }) => kind));
    expect(idsOf(messages)).toEqual(events.map(({ id }) => id));
    expect(idsOf(messages)).toEqual([...new Set(idsOf(messages))].toSorted((a, b) => a - b));
    const { items } = (await api.get('/v1/sessions/story/messages')).body;
    expect(foldEvents(events)).toEqual(items);
  });

  it('resume after Last-Event-ID, which goes before ?after=', async () => {
    stack.model.says('Told.');
    await runTurn('resumed', 'tell');
    const all = await readUntil(await openSse(eventsOf('resumed')), 'turn_end');
    for (const [index, { id = '' }] of all.slice(0, -1).entries()) {
      const rest = await readUntil(await openSse(eventsOf('resumed', `?after=${id}`)), 'turn_end');
      expect(rest).toEqual(all.slice(index + 1));
    }
    const third = all[2]?.id ?? '';
    const stream = await openSse(eventsOf('resumed', '?after=0'), { 'last-event-id': third });
    expect(await readUntil(stream, 'turn_end')).toEqual(all.slice(3));
  });

  it('are those of the kinds asked for', async () => {
    stack.model.says('Short.');
    await runTurn('kinds', 'x');
    const stream = await openSse(eventsOf('kinds', '?kinds=turn_start,turn_end'));
    const messages = await readUntil(stream, 'turn_end');
    expect(messages.map(({ event }) => event)).toEqual(['turn_start', 'turn_end']);
    expect(await api.get('/v1/sessions/kinds/events?kinds=turn_begin')).toMatchObject({ status: 400 });
    expect(await api.get('/v1/sessions/kinds/events?after=-1')).toMatchObject({ status: 400 });
    expect(await api.get('/v1/sessions/none/events')).toMatchObject({ status: 404 });
  });

  it('of one turn end with it', async () => {
    stack.model.says('One.').says('Two.');
    await runTurn('turns', 'one');
    const second = await submit('turns', 'two');
    const stream = await openSse(`${api.url}/v1/turns/${encodeURIComponent(second)}/events`);
    const messages: string[] = [];
    for await (const { event = '', data } of stream.messages) {
      expect(JSON.parse(data)).toMatchObject({ turnId: second });
      messages.push(event);
    }
    expect(messages.at(0)).toBe('input');
    expect(messages.at(-1)).toBe('turn_end');
  });

  it('end when the server goes away, so that the subscriber can resume elsewhere', async () => {
    stack.model.says('Here.').says('There.');
    await runTurn('moved', 'one');
    const leaving = await startApi(stack);
    const stream = await openSse(`${leaving.url}/v1/sessions/moved/events`);
    const reading = readUntil(stream, 'never');
    await leaving.close();
    const before = await reading;
    await runTurn('moved', 'two');
    const after = await openSse(eventsOf('moved'), { 'last-event-id': before.at(-1)?.id ?? '' });
    const rest = await readUntil(after, 'turn_end');
    const ids = idsOf([...before, ...rest]);
    const all = await readUntil(await openSse(eventsOf('moved')), 'turn_end', 2);
    expect(ids).toEqual(idsOf(all));
  });
});
