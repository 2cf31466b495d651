import { HttpAgent } from '@ag-ui/client';
import type { Message } from '@ag-ui/core';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { toAgUiMessages } from '../../src/server/ag-ui/ag-ui-messages.ts';
import { AgUiRun, type AgUiEnd } from '../../src/server/ag-ui/ag-ui-run.ts';
import type { AgUiEvent } from '../../src/server/ag-ui/ag-ui-event.ts';
import { foldEvents } from '../../src/core/fold-events.ts';
import type { AgentEvent, EventBody } from '../../src/schema/event.ts';
import type { Json } from '../../src/schema/message.ts';
import { conforming } from '../support/ag-ui-page.ts';

const at = '2026-01-01T00:00:00.000Z';
const usage = { inputTokens: 3, outputTokens: 2, cachedInputTokens: 0, reasoningTokens: 0 };
const turnId = 'turn/acme/s/1';

function stamped(bodies: readonly (EventBody & { path?: string[]; turnId?: string })[]): AgentEvent[] {
  return bodies.map((body, index) => ({ turnId, ...body, id: index + 1, sessionId: 's', at }));
}

const newRun = (known: Message[] = []) =>
  new AgUiRun({
    threadId: 's',
    runId: 'r',
    messages: known as never,
    known: [],
    idOf: ({ id }) => id,
    since: 0,
    tasks: [],
    state: {},
    reasoning: known.filter(({ role }) => role === 'reasoning').map(({ id }) => id),
  });

function answerTo(events: readonly AgentEvent[], end: AgUiEnd = {}, run = newRun()): AgUiEvent[] {
  return [...run.start(), ...events.flatMap((event) => run.push(event)), ...run.finish(end)];
}

/** What the protocol's own client makes of the answer: it refuses what is not well-formed. */
async function shown(events: readonly AgUiEvent[], initialMessages: Message[] = []): Promise<Message[]> {
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  const headers = { 'content-type': 'text/event-stream' };
  const client = new HttpAgent({
    url: 'http://page.test',
    threadId: 's',
    initialMessages,
    fetch: () => Promise.resolve(new Response(body, { headers })),
  });
  await client.runAgent();
  return client.messages;
}

type Block = 'text' | 'thinking' | 'call' | 'executed';
interface Attempt {
  blocks: { kind: Block; deltas: string[] }[];
  /** How much of it came, where it failed. */
  cut: number;
}

const word = fc.string({ maxLength: 6 });
const attempt: fc.Arbitrary<Attempt> = fc.record({
  blocks: fc.array(
    fc.record({
      kind: fc.constantFrom<Block>('text', 'thinking', 'call', 'executed'),
      deltas: fc.array(word, { maxLength: 3 }),
    }),
    { maxLength: 4 },
  ),
  cut: fc.nat(12),
});
/** Model calls of a turn, each with the attempts that it took; the turn may end in the midst of the last. */
const turns = fc.record({
  steps: fc.array(fc.array(attempt, { minLength: 1, maxLength: 3 }), { maxLength: 3 }),
  isCutOff: fc.boolean(),
});

function blockEvents(messageId: string, { kind, deltas }: Attempt['blocks'][number], n: number): EventBody[] {
  const block = { messageId, blockId: `b${n}` };
  const call = { messageId, callId: `${messageId}-c${n}` };
  switch (kind) {
    case 'text':
    case 'thinking':
      return [
        { kind: `${kind}_start`, ...block },
        ...deltas.map((delta) => ({ kind: `${kind}_delta` as const, ...block, delta })),
        { kind: `${kind}_end`, ...block },
      ];
    default:
      return [
        { kind: 'tool_call_start', ...call, name: 'look_up' },
        ...deltas.map((delta) => ({ kind: 'tool_call_delta' as const, ...call, delta })),
        {
          kind: 'tool_call_end',
          ...call,
          ...(kind === 'executed' ? { executed: { result: 'found', provider: {} } } : {}),
        },
      ];
  }
}

function stepEvents(step: number, attempts: readonly Attempt[], isCutOff: boolean): EventBody[] {
  const messageId = `1/${step}`;
  return attempts.flatMap(({ blocks, cut }, index): EventBody[] => {
    const isLast = index === attempts.length - 1;
    const start = { kind: 'model_call_start', messageId, seq: step * 10, step, attempt: index + 1 } as const;
    const streamed = blocks.flatMap((block, n) => blockEvents(messageId, block, n));
    const begun: EventBody = { ...start, model: 'test/model', createdAt: at };
    if (!isLast || isCutOff) return [begun, ...streamed.slice(0, cut)];
    const results = blocks.flatMap(({ kind }, n) =>
      kind === 'call' ? [resultEvent(step, n, `${messageId}-c${n}`)] : [],
    );
    return [
      begun,
      ...streamed,
      { kind: 'model_call_end', messageId, usage, finishReason: 'stop' },
      ...results,
    ];
  });
}

function resultEvent(step: number, n: number, callId: string): EventBody {
  const block = { type: 'tool_result', id: callId, name: 'look_up', state: 'success' } as const;
  const messageId = `1/${step}/${callId}`;
  const message = {
    id: messageId,
    seq: step * 10 + n + 1,
    turn: 1,
    step,
    role: 'tool',
    createdAt: at,
  } as const;
  const content = [{ ...block, content: [{ type: 'text' as const, id: 't', text: 'a word' }] }];
  return { kind: 'tool_result_end', messageId, callId, state: 'success', message: { ...message, content } };
}

const turnEnd: EventBody = { kind: 'turn_end', finishReason: 'model_stop', usage };

/** Any events at all, in any order: begun twice, never begun, of sessions below. */
const chaos = fc.array(
  fc
    .record({
      below: fc.boolean(),
      messageId: fc.constantFrom('1/1', '1/2'),
      blockId: fc.constantFrom('b0', 'b1'),
      callId: fc.constantFrom('c0', 'c1'),
      turn: fc.constantFrom('2', '3'),
      make: fc.constantFrom(
        'model_call_start',
        'model_call_end',
        'text_start',
        'text_delta',
        'text_end',
        'thinking_start',
        'thinking_delta',
        'thinking_end',
        'tool_call_start',
        'tool_call_delta',
        'tool_call_end',
        'turn_start',
        'turn_end',
        'run_end',
        'interrupted',
        'gate_answered',
        'task_changed',
      ),
    })
    .map(({ below, make: kind, turn, ...ids }) => {
      const fields = { name: 'n', delta: 'd', attempt: 2, step: 1, seq: 1, model: 'm', createdAt: at, usage };
      const task = { id: 'a/b', subject: 's', description: '', state: 'pending', blockedBy: [], blocks: [] };
      const rest = { agent: 'a', revision: 'r', finishReason: 'stop', answer: 'allow', run: 1, reason: 'r' };
      const change = { change: 'created', by: 's', task: { ...task, isBlocked: false } };
      const place = below ? { path: ['w'], turnId: `turn/acme/w/${turn}` } : {};
      return { kind, ...ids, ...fields, ...rest, ...change, ...place } as unknown as EventBody;
    })
    .filter((body) => body.kind !== 'turn_end' || JSON.stringify(body).includes('"path"')),
  { maxLength: 30 },
);

const end: AgUiEnd = {
  interrupts: [
    { id: 'c', reason: 'tool_call', message: 'Allow?', toolCallId: 'c', responseSchema: {}, metadata: {} },
  ],
};

// The client complains of arguments that are no JSON.
const quiet = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
afterAll(() => quiet.mockRestore());

describe('an AG-UI run', () => {
  it('is well-formed, whatever the events', async () => {
    await fc.assert(
      fc.asyncProperty(chaos, fc.constantFrom({}, end, 'broken' as const), async (bodies, how) => {
        const run = newRun();
        const events = [
          ...run.start(),
          ...stamped(bodies).flatMap((event) => run.push(event)),
          ...(how === 'broken' ? run.fail('store_unavailable', 'away') : run.finish(how)),
        ];
        const checked = events.map((event) => conforming(JSON.parse(JSON.stringify(event))));
        await shown(events);
        expect(checked[0]?.type).toBe('RUN_STARTED');
        expect(checked.filter(({ type }) => /^RUN_(FINISHED|ERROR)$/.test(type))).toEqual([checked.at(-1)]);
        const count = (type: string) => checked.filter((event) => (event.type as string) === type).length;
        for (const kind of ['TEXT_MESSAGE', 'REASONING_MESSAGE', 'REASONING', 'TOOL_CALL'])
          expect(count(`${kind}_START`), kind).toBe(count(`${kind}_END`));
        expect(count('STEP_STARTED')).toBe(count('STEP_FINISHED'));
        expect(count('SUBAGENT_STARTED')).toBe(count('SUBAGENT_FINISHED') + count('SUBAGENT_ERROR'));
      }),
    );
  });

  it('leaves the client with what the transcript holds, and no trace of attempts that failed', async () => {
    await fc.assert(
      fc.asyncProperty(turns, async ({ steps, isCutOff }) => {
        const bodies = steps.flatMap((attempts, index) =>
          stepEvents(index + 1, attempts, isCutOff && index === steps.length - 1),
        );
        const events = stamped([...bodies, turnEnd]);
        const transcript = toAgUiMessages(foldEvents(events), ({ id }) => id);
        expect(withoutBlank(await shown(answerTo(events)))).toEqual(byId(transcript));
      }),
    );
  });

  it('lets a client go on from any place where its connection broke', async () => {
    await fc.assert(
      fc.asyncProperty(turns, fc.nat(), async ({ steps }, place) => {
        const events = stamped([
          ...steps.flatMap((attempts, index) => stepEvents(index + 1, attempts, false)),
          turnEnd,
        ]);
        const seen = events.slice(0, place % (events.length + 1));
        const run = newRun();
        const broken = [...run.start(), ...seen.flatMap((event) => run.push(event))];
        const before = await shown(broken);
        const committed = foldEvents(seen).filter(
          ({ role, finishReason }) => role === 'tool' || finishReason,
        );
        const next = new AgUiRun({
          threadId: 's',
          runId: 'r2',
          messages: toAgUiMessages(committed, ({ id }) => id),
          known: committed.map(({ id }) => id),
          idOf: ({ id }) => id,
          since: 0,
          tasks: [],
          state: null,
          reasoning: before.filter(({ role }) => role === 'reasoning').map(({ id }) => id),
        });
        const after = await shown(answerTo(events, {}, next), before);
        const transcript = toAgUiMessages(foldEvents(events), ({ id }) => id);
        expect(withoutBlank(after)).toEqual(byId(transcript));
      }),
    );
  });

  it('tells of tasks as changes of the state', () => {
    const task = { id: '1', subject: 'Pay', description: '', state: 'pending' as const };
    const change = { by: 's', task: { ...task, blockedBy: [], blocks: [], isBlocked: false } };
    const events = answerTo(
      stamped([
        { kind: 'task_changed', change: 'created', ...change },
        { kind: 'task_changed', change: 'deleted', ...change },
        { kind: 'task_changed', change: 'deleted', ...change },
        turnEnd,
      ]),
    );
    const deltas = events.flatMap(({ type, delta }) => (type === 'STATE_DELTA' ? [delta] : []));
    expect(deltas).toEqual([
      [{ op: 'add', path: '/tasks/1', value: change.task as Json }],
      [{ op: 'remove', path: '/tasks/1' }],
    ]);
  });
});

/** An empty reasoning takes the place of one that the client must forget. */
function withoutBlank(messages: readonly Message[]): unknown {
  return byId(messages.filter((message) => message.role !== 'reasoning' || message.content !== ''));
}

/** The client puts a tool's result after its call, whatever stands between in the transcript. */
function byId(messages: readonly { id: string }[]): unknown {
  return messages.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}
