import pc from 'picocolors';
import { describe, expect, it } from 'vitest';
import { renderAudit } from '../../src/cli/audit.ts';
import { argumentDiff } from '../../src/cli/argument-diff.ts';
import { askAboutCall, type Asking } from '../../src/cli/ask-about-call.ts';
import { askQuestion, optionOf } from '../../src/cli/ask-question.ts';
import { renderGate } from '../../src/cli/render-gate.ts';
import type { PendingCall } from '../../src/client/index.ts';
import type { Question } from '../../src/schema/event.ts';

const style = { colors: pc.createColors(false), width: 60 };
const call: PendingCall = {
  callId: 'call_1',
  name: 'refund',
  arguments: '{"order":{"id":"7"},"amount":50}',
  state: 'asking',
  turn: 2,
  createdAt: '2026-01-01T00:00:00.000Z',
  sessionId: 'case',
  reason: 'refund may change something',
  suggestedRules: [
    { tool: 'refund', pattern: 'order.id=7', behavior: 'allow' },
    { tool: 'refund', behavior: 'allow' },
  ],
};
const size: Question = {
  question: 'Which size?',
  options: [{ label: 'S', description: 'small' }, { label: 'L' }],
  isFree: false,
  isSecret: false,
};

/** A person who types these lines, and then is gone. */
function person(...lines: string[]): Asking & { said: string[] } {
  const said: string[] = [];
  return {
    said,
    style,
    signal: new AbortController().signal,
    say: (line) => void said.push(line),
    async ask(question) {
      said.push(question);
      return lines.shift();
    },
  };
}

describe('a gate is shown', () => {
  it('with why, who allowed it so far and as what, and the rules that would settle it', () => {
    const votes = [
      { actor: 'rita', arguments: call.arguments },
      { actor: 'sam', arguments: '{"amount":5}' },
    ];
    const approval = { by: { people: ['boss'], roles: ['accounting'] }, count: 3 };
    const deadline = { dueAt: '2026-03-01T10:00:00.000Z', action: 'escalate' as const };
    expect(renderGate({ ...call, votes, votesNeeded: 3, approval, deadline }, style)).toEqual([
      'call_1  refund waits for approval',
      '  session case · turn 2',
      '  {"order":{"id":"7"},"amount":50}',
      '  why: refund may change something',
      '  allowed by rita',
      '  allowed by sam as {"amount":5}',
      '  2 of 3 people have allowed it',
      '  may answer: boss, role accounting',
      '  until 2026-03-01T10:00:00.000Z: then other people may answer',
      '  rules: refund(order.id=7) · refund',
    ]);
  });

  it('with its safety instead of rules that could not grant it', () => {
    expect(renderGate({ ...call, isSafety: true }, style).slice(3)).toEqual([
      '  why: refund may change something',
      '  for safety it is asked each time, whatever the rules say',
    ]);
  });

  it('with its question and the answers that it takes', () => {
    const asking = { ...call, isSafety: true, question: { ...size, isFree: true, isSecret: true } };
    expect(renderGate(asking, style)).toEqual([
      'call_1  refund waits for an answer',
      '  session case · turn 2',
      '  Which size?',
      '    1  S · small',
      '    2  L',
      '    or an answer of your own',
      '    the answer is a secret: it stays out of transcript, events and logs',
    ]);
  });
});

describe('askAboutCall', () => {
  it('remembers the rule that is picked', async () => {
    const asking = person('r', '9', 'remember', '2');
    expect(await askAboutCall(asking, call)).toEqual({
      callId: 'call_1',
      decision: 'allow',
      remember: [{ tool: 'refund', behavior: 'allow' }],
    });
  });

  it('offers no rule for what is asked each time', async () => {
    const asking = person('r', 'n', '');
    expect(await askAboutCall(asking, { ...call, isSafety: true })).toEqual({
      callId: 'call_1',
      decision: 'deny',
    });
    expect(asking.said).toContain('approve? y(es, once), n(o), e(dit) ');
  });

  it('sends an edit only after it was shown and meant', async () => {
    const same = call.arguments;
    const asking = person('e', 'oops', 'e', same, 'e', '{"amount":5}', 'n', 'e', '{"amount":4}', 'y');
    expect(await askAboutCall(asking, call)).toEqual({
      callId: 'call_1',
      decision: 'allow',
      input: { amount: 4 },
    });
    expect(asking.said.join('\n')).toMatch(
      /that is not JSON[^]*that changes nothing[^]*- order\.id: "7"\n {2}- amount: 50\n {2}\+ amount: 5\n/,
    );
  });

  it('is over when the person is gone', async () => {
    expect(await askAboutCall(person('e'), call)).toBeUndefined();
  });
});

describe('askQuestion', () => {
  it('takes an option by its number or label, and nothing else unless any text is fine', async () => {
    const answer = (question: Question, ...lines: string[]) => askQuestion(person(...lines), call, question);
    expect(await answer(size, 'XL', '0', '3', '2')).toMatchObject({ decision: 'allow', answer: 'L' });
    expect(await answer(size, ' S ')).toMatchObject({ answer: 'S' });
    expect(await answer({ ...size, isFree: true }, 'XL')).toMatchObject({ answer: 'XL' });
    expect(optionOf({ ...size, options: [{ label: '2' }, { label: '1' }] }, '1')).toBe('1');
  });

  it('lets a person refuse, after an empty answer', async () => {
    expect(await askQuestion(person('', 'n', '', 'y', 'private'), call, size)).toEqual({
      callId: 'call_1',
      decision: 'deny',
      reason: 'private',
    });
  });
});

describe('argumentDiff', () => {
  it('shows each value that an edit takes out or puts in, wherever it is and whatever its key', () => {
    const diff = argumentDiff(
      { a: { b: 1 }, 'c.d': [1, 2], e: {} },
      { 'a.b': 1, 'c.d': [1, 3], e: { f: null } },
      style,
    );
    expect(diff).toEqual(['- a.b: 1', '- c.d.1: 2', '+ c.d.1: 3', '- e: {}', '+ a.b: 1', '+ e.f: null']);
  });
});

describe('renderAudit', () => {
  it('names who or what decided, and the rule with where it comes from', () => {
    const entry = {
      at: '2026-11-01T00:00:00Z',
      turn: 1,
      callId: 'call_1',
      tool: 'refund',
      arguments: '{}',
      reason: 'why',
    };
    const rule = { tool: 'refund', behavior: 'deny', source: 'owner' } as const;
    expect(
      renderAudit([
        { ...entry, id: 1, behavior: 'ask', by: 'default' },
        { ...entry, id: 2, behavior: 'deny', by: 'deny_rule', rule },
        { ...entry, id: 3, behavior: 'allow', by: 'person', actor: 'ann\u001b[2J' },
      ]),
    ).toEqual([
      'WHEN                  TURN  TOOL    CALL    DECISION  BY       RULE             REASON',
      '2026-11-01T00:00:00Z  1     refund  call_1  ask       no rule                   why',
      '2026-11-01T00:00:00Z  1     refund  call_1  deny      a rule   refund of owner  why',
      '2026-11-01T00:00:00Z  1     refund  call_1  allow     ann[2J                    why',
    ]);
  });
});
