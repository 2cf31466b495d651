import type { Session, Turn } from '../../client/client.ts';
import type { AgentEvent } from '../../schema/event.ts';
import type { Json, Msg, ToolResultBlock } from '../../schema/message.ts';
import { eventStream } from '../event-stream.ts';

/*
 * What the adapters to front ends' own protocols have in common.
 */

/** Messages or turns of one page. */
export const pageSize = 200;

/** The turn that runs, or waits at a gate. */
export async function openTurn(session: Session): Promise<Turn | undefined> {
  const details = await session.get();
  if (!details || details.state === 'idle' || details.lastTurn === 0) return undefined;
  return session.turn(details.lastTurn);
}

export async function transcriptOf(session: Session): Promise<Msg[]> {
  const all: Msg[] = [];
  if (!(await session.get())) return all;
  for (let cursor: string | undefined; ;) {
    const page = await session.messages({ limit: pageSize, ...(cursor === undefined ? {} : { cursor }) });
    all.push(...page.items);
    cursor = page.nextCursor;
    if (cursor === undefined) return all;
  }
}

/** A stream of what `frames` gives until the caller goes, or the server. */
export function streamUntilGone(
  signal: AbortSignal,
  frames: (signal: AbortSignal) => AsyncGenerator<{ text: string }, void, void>,
  headers: Record<string, string> = {},
): Response {
  const abort = new AbortController();
  signal.addEventListener('abort', () => abort.abort(), { signal: abort.signal });
  return eventStream({ frames: frames(abort.signal), abort, headers });
}

export function toFrame(parts: readonly object[]): { text: string } {
  return { text: parts.map((part) => `data: ${JSON.stringify(part)}\n\n`).join('') };
}

const newsOfBelow: ReadonlySet<AgentEvent['kind']> = new Set([
  'require_user_confirm',
  'require_external_execution',
  'require_reconciliation',
  'gate_answered',
  'turn_start',
  'turn_end',
]);

/** What a page may want to show of sessions below: it is no part of this conversation's messages. */
export function isNewsOfBelow({ kind }: AgentEvent): boolean {
  return newsOfBelow.has(kind);
}

export function resultOf({ content }: Msg): ToolResultBlock | undefined {
  return content.find((block) => block.type === 'tool_result');
}

/** A tool's result as text, with the places of what is none. */
export function textOfResult({ content }: ToolResultBlock): string {
  return content.map((part) => (part.type === 'text' ? part.text : `[${part.mediaType}]`)).join('\n');
}

/** JSON as what it holds, anything else as text; nothing as no arguments. */
export function jsonOr(text: string): Json {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
