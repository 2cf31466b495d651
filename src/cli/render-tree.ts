import type { AgentEvent } from '../schema/event.ts';
import { emptyView, renderEvent, type RenderOptions, type View } from './render-events.ts';
import { printable } from './text.ts';

/** A session's own view, and one of each session below it. */
export interface TreeView {
  own: View;
  below: ReadonlyMap<string, { view: View; line: string }>;
}

export const emptyTree: TreeView = { own: emptyView, below: new Map() };

/**
 * As `renderEvent`, with what happens in sessions below: in whole lines, each after the names that lead there, so that several may talk at
 * once. Pure.
 */
export function renderTree(tree: TreeView, event: AgentEvent, options: RenderOptions): [TreeView, string] {
  if (!event.path) {
    const [own, text] = renderEvent(tree.own, event, options);
    return [{ ...tree, own }, text];
  }
  const known = tree.below.get(event.sessionId) ?? { view: emptyView, line: '' };
  const [view, text] = renderEvent(known.view, event, { ...options, showsInputs: true });
  const lines = (known.line + text).split('\n');
  const below = new Map(tree.below);
  below.set(event.sessionId, { view, line: lines.pop() ?? '' });
  if (event.kind === 'turn_end') below.delete(event.sessionId);
  if (lines.length === 0) return [{ ...tree, below }, ''];

  const { colors } = options;
  const prefix = colors.dim(`  ${event.path.map(printable).join(' › ')} │`);
  const end = tree.own.line === 'empty' ? '' : '\n';
  return [
    { own: { ...tree.own, line: 'empty' }, below },
    end + lines.map((line) => `${prefix} ${line}\n`).join(''),
  ];
}
