import { describe, expect, it } from 'vitest';
import { cutResult, resultText } from '../../src/core/cut-result.ts';
import type { Msg, ResultContent } from '../../src/schema/message.ts';

function aResult(...content: ResultContent[]): Msg {
  return {
    id: '1/1/c1',
    seq: 3,
    turn: 1,
    step: 1,
    role: 'tool',
    createdAt: '2026-01-01T00:00:00Z',
    content: [{ type: 'tool_result', id: 'c1', name: 'read', state: 'success', content }],
  };
}
const text = (value: string): ResultContent => ({ type: 'text', id: 'b0', text: value });
const shown = (msg: Msg) => resultText(msg.content[0] as Parameters<typeof resultText>[0]);

describe('cutResult', () => {
  it('leaves what fits, and what is no result, as it is', () => {
    const fits = aResult(text('x'.repeat(400)));
    expect(cutResult(fits, 100)).toBe(fits);
    const said: Msg = {
      ...fits,
      role: 'user',
      content: [{ type: 'text', id: 'b0', text: 'x'.repeat(5000) }],
    };
    expect(cutResult(said, 100)).toBe(said);
  });

  it('shows the head, the size, and how to read on from there', () => {
    const whole = Array.from({ length: 1000 }, (_, i) => `${i}`).join(' ');
    const cut = shown(cutResult(aResult(text(whole)), 100));
    expect(cut.startsWith(whole.slice(0, 400))).toBe(true);
    expect(cut.slice(400)).toBe(
      `\n[Cut here, after 400 of ${whole.length} characters. Read on with read_result({"callId": "c1", "offset": 400}).]`,
    );
  });

  it('counts all texts of a result together, and keeps its media', () => {
    const image: ResultContent = {
      type: 'data',
      id: 'b1',
      mediaType: 'image/png',
      source: { type: 'base64', data: 'AA==' },
    };
    const cut = cutResult(aResult(text('a'.repeat(300)), image, text('b'.repeat(300))), 100);
    expect(shown(cut)).toContain('after 400 of 601 characters');
    expect(JSON.stringify(cut)).toContain('image/png');
  });

  it('parts no pair of surrogates', () => {
    const cut = shown(cutResult(aResult(text(`x${'😀'.repeat(400)}`)), 100));
    expect(cut.isWellFormed()).toBe(true);
    expect(cut).toContain('after 399 of 801');
  });
});
