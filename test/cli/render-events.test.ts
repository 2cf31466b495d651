import pc from 'picocolors';
import { describe, expect, it } from 'vitest';
import { emptyView, renderEvent, type RenderOptions } from '../../src/cli/render-events.ts';
import { noUsage } from '../../src/core/usage.ts';
import type { EventBody } from '../../src/schema/event.ts';
import type { Block, Msg, ToolResultState } from '../../src/schema/message.ts';

const plain: RenderOptions = { colors: pc.createColors(false), width: 60 };

function render(bodies: EventBody[], options: Partial<RenderOptions> = {}): string {
  let view = emptyView;
  let output = '';
  for (const [index, body] of bodies.entries()) {
    const stamp = { id: index + 1, sessionId: 's', turnId: 'turn/o/s/1', at: '2026-11-01T00:00:00Z' };
    const [next, text] = renderEvent(view, { ...body, ...stamp }, { ...plain, ...options });
    view = next;
    output += text;
  }
  return output;
}

const inMessage = { messageId: 'm' };
const inBlock = { messageId: 'm', blockId: 'b' };
const called = (attempt: number): EventBody => ({
  kind: 'model_call_start',
  ...inMessage,
  seq: 2,
  step: 1,
  attempt,
  model: 'openai/m',
  createdAt: '2026-11-01T00:00:00Z',
});
const says = (...deltas: string[]): EventBody[] => [
  { kind: 'text_start', ...inBlock },
  ...deltas.map((delta): EventBody => ({ kind: 'text_delta', ...inBlock, delta })),
];
const textEnd: EventBody = { kind: 'text_end', ...inBlock };
const proposes = (callId: string, name: string, ...deltas: string[]): EventBody[] => [
  { kind: 'tool_call_start', ...inMessage, callId, name },
  ...deltas.map((delta): EventBody => ({ kind: 'tool_call_delta', ...inMessage, callId, delta })),
  { kind: 'tool_call_end', ...inMessage, callId },
];
const message = (role: Msg['role'], content: Block[]): Msg => ({
  id: 'r',
  seq: 3,
  turn: 1,
  step: 1,
  role,
  content,
  createdAt: '2026-11-01T00:00:00Z',
});
const result = (callId: string, state: ToolResultState, text: string): EventBody => ({
  kind: 'tool_result_end',
  ...inMessage,
  callId,
  state,
  message: message('tool', [
    { type: 'tool_result', id: callId, name: 'lookup', state, content: [{ type: 'text', id: 't', text }] },
  ]),
});
const ends: EventBody = {
  kind: 'turn_end',
  finishReason: 'model_stop',
  usage: { ...noUsage, inputTokens: 1234, outputTokens: 5 },
};

describe('renderEvent', () => {
  it('shows thinking, calls with their arguments, progress, results cut to a line, and the answer', () => {
    const output = render([
      called(1),
      { kind: 'thinking_start', ...inBlock },
      { kind: 'thinking_delta', ...inBlock, delta: 'Both are needed' },
      { kind: 'thinking_end', ...inBlock },
      ...proposes('c1', 'lookup', '{"word":', '"a"}'),
      ...proposes('c2', 'lookup', '{"word":"b"}'),
      { kind: 'tool_result_start', ...inMessage, callId: 'c1', seq: 3, step: 1, attempt: 1, name: 'lookup' },
      {
        kind: 'tool_result_delta',
        ...inMessage,
        callId: 'c1',
        progress: { message: 'reading', fraction: 0.5 },
      },
      result('c2', 'error', 'no such\nword'),
      result('c1', 'success', 'x'.repeat(80)),
      called(1),
      ...says('Here ', 'it is.'),
      textEnd,
      ends,
    ]);
    expect(output).toBe(
      [
        'Both are needed',
        '→ lookup {"word":"a"}',
        '→ lookup#2 {"word":"b"}',
        '  … lookup: 50% reading',
        '  ✗ lookup#2: no such word',
        `  ✓ lookup: ${'x'.repeat(59)}…`,
        'Here it is.',
        '— model_stop · 1,234 tokens in, 5 out',
        '',
      ].join('\n'),
    );
  });

  it('streams text as it comes, with no line of its own before it has ended', () => {
    expect(render([called(1), ...says('Hel')])).toBe('Hel');
    expect(render([called(1), ...says('Hel', 'lo'), textEnd])).toBe('Hello\n');
  });

  it('says that a further attempt supersedes what stands above, when something does', () => {
    const error: EventBody = {
      kind: 'error',
      code: 'connection',
      message: 'broke off',
      retryable: true,
      attempt: 1,
    };
    expect(render([called(1), ...says('Hel'), error, called(2), ...says('Hello'), textEnd])).toBe(
      'Hel\n! broke off (attempt 1), trying again\nattempt 2: it replaces what stands above …\nHello\n',
    );
    expect(render([called(1), error, called(2)])).toBe(
      '! broke off (attempt 1), trying again\nattempt 2 …\n',
    );
  });

  it('tells a failure once, however many events pass it on', () => {
    const error: EventBody = {
      kind: 'error',
      code: 'authentication',
      message: 'wrong key',
      retryable: false,
    };
    const end: EventBody = {
      kind: 'turn_end',
      finishReason: 'error',
      usage: noUsage,
      error: { code: 'ModelAuthentication', message: 'wrong key' },
    };
    expect(render([error, { ...error, code: 'ModelAuthentication' }, end])).toBe(
      '✗ wrong key [authentication]\n— error · 0 tokens in, 0 out\n',
    );
    expect(render([end])).toContain('✗ wrong key [ModelAuthentication]\n');
  });

  it('shows what waits at a gate, and how it was answered', () => {
    const call = { callId: 'c1', name: 'refund', arguments: '{}' };
    const output = render([
      ...proposes('c1', 'refund', '{}'),
      { kind: 'require_user_confirm', calls: [{ ...call, reason: 'over 50 EUR' }] },
      { kind: 'require_external_execution', calls: [call] },
      { kind: 'require_reconciliation', calls: [call] },
      { kind: 'gate_answered', callId: 'c1', answer: 'vote', actor: 'rita' },
      { kind: 'gate_overdue', callId: 'c1', escalated: false },
      { kind: 'gate_overdue', callId: 'c1', escalated: true },
      { kind: 'gate_answered', callId: 'c1', answer: 'deny', actor: 'ann', reason: 'too much' },
      { kind: 'interrupted', reason: 'Ctrl-C' },
    ]);
    expect(output).toBe(
      [
        '→ refund {}',
        '? refund waits for approval: over 50 EUR c1',
        '? refund waits for its system c1',
        '? refund may have happened: reconcile it c1',
        '  refund allowed by rita: others must allow it too',
        '  refund is overdue',
        '  refund was escalated: nobody answered in time',
        '  refund denied by ann: too much',
        'interrupted: Ctrl-C',
        '',
      ].join('\n'),
    );
  });

  it('tells a question with its options from an approval, and marks what is asked each time', () => {
    const call = { callId: 'c1', name: 'ask_user', arguments: '{}', isSafety: true };
    const question = { question: 'Which size?', isFree: false, isSecret: false };
    const options = [{ label: 'S' }, { label: 'L' }];
    expect(
      render([
        { kind: 'require_user_confirm', calls: [{ ...call, question: { ...question, options } }] },
        { kind: 'require_user_confirm', calls: [{ ...call, question: { ...question, isSecret: true } }] },
        { kind: 'require_user_confirm', calls: [{ ...call, name: 'rm', reason: 'it deletes' }] },
      ]),
    ).toBe(
      [
        '? ask_user asks: Which size? [S, L] c1',
        '? ask_user asks for a secret: Which size? c1',
        '? rm waits for approval: it deletes (for safety asked each time) c1',
        '',
      ].join('\n'),
    );
  });

  it('keeps users words out for those who typed them, and shows them to others', () => {
    const input: EventBody = {
      kind: 'input',
      message: message('user', [{ type: 'text', id: 't', text: 'Hi' }]),
    };
    expect(render([input])).toBe('');
    expect(render([input], { showsInputs: true })).toBe('> Hi\n');
  });

  it('lets no model, tool or user drive the terminal', () => {
    const evil = '\u001b[2Jwiped\u0007\u009b1m\r\u202e!';
    const output = render([
      called(1),
      ...says(evil),
      textEnd,
      ...proposes('c1', evil, evil),
      result('c1', 'success', evil),
      { kind: 'gate_answered', callId: 'c2', answer: 'allow', actor: evil },
    ]);
    for (const control of ['\u001b', '\u0007', '\u009b', '\r', '\u202e'])
      expect(output).not.toContain(control);
    expect(output).toContain('wiped');
  });
});
