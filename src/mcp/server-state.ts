import { createHash } from 'node:crypto';
import type { ToolContext } from '../tools/tool.ts';
import type { Link } from './link.ts';

/** Connections of this process, each with a mark that no other has. */
const marks = new WeakMap<Link, Map<number, string>>();

/**
 * Of a stateful server: says that its state was lost, where a call of this session reaches another process or connection than the last one
 * did. The session remembers which, so that this is known on another worker too.
 */
export async function stateNote(link: Link, { slots }: ToolContext): Promise<string | undefined> {
  if (!link.server.isStateful) return undefined;
  const mark = markOf(link);
  const slot = `mcp-state.${link.server.name}`;
  const before = await slots.read<string>(slot);
  if (before === mark) return undefined;
  await slots.update<string>(slot, () => mark);
  return before === undefined
    ? undefined
    : `[Note: ${link.server.name} was started anew since it was last used in this session. What it kept in memory is lost: set up again what you need.]`;
}

function markOf(link: Link): string {
  const known = marks.get(link) ?? new Map<number, string>();
  marks.set(link, known);
  const mark =
    known.get(link.opened) ??
    createHash('sha256')
      .update(`${process.pid} ${process.hrtime.bigint()} ${link.opened}`)
      .digest('hex')
      .slice(0, 16);
  known.set(link.opened, mark);
  return mark;
}
