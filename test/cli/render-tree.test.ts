import pc from 'picocolors';
import { describe, expect, it } from 'vitest';
import { emptyTree, renderTree } from '../../src/cli/render-tree.ts';
import { noUsage } from '../../src/core/usage.ts';
import type { EventBody } from '../../src/schema/event.ts';

const plain = { colors: pc.createColors(false), width: 60 };
const text = (delta: string): EventBody => ({ kind: 'text_delta', messageId: '1/1', blockId: 'b0', delta });
const textEnd: EventBody = { kind: 'text_end', messageId: '1/1', blockId: 'b0' };

function render(events: [path: string[], body: EventBody][]): string {
  let tree = emptyTree;
  let output = '';
  for (const [index, [path, body]] of events.entries()) {
    const sessionId = ['s', ...path].join('.');
    const stamp = { id: index + 1, sessionId, turnId: `turn/o/${sessionId}/1`, at: '2026-11-01T00:00:00Z' };
    const event = { ...body, ...stamp, ...(path.length === 0 ? {} : { path }) };
    const [next, more] = renderTree(tree, event, plain);
    tree = next;
    output += more;
  }
  return output;
}

describe('events of sessions below on a terminal', () => {
  it('come in whole lines, after the names that lead there', () => {
    const output = render([
      [['a'], text('first ')],
      [['a', 'b'], text('deep\nline')],
      [['a'], text('half')],
      [['a'], textEnd],
      [['a', 'b'], textEnd],
    ]);
    expect(output.split('\n')).toEqual(['  a › b │ deep', '  a │ first half', '  a › b │ line', '']);
  });

  it('end a line that the session itself has begun', () => {
    const output = render([
      [[], text('I ask')],
      [['a'], text('yes')],
      [['a'], textEnd],
      [[], text('Good.')],
    ]);
    expect(output).toBe('I ask\n  a │ yes\nGood.');
  });

  it('say how a turn below ended, and keep the own one open', () => {
    const end: EventBody = { kind: 'turn_end', finishReason: 'model_stop', usage: noUsage };
    expect(render([[['a'], end]])).toBe('  a │ — model_stop · 0 tokens in, 0 out\n');
  });
});
