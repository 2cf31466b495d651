import type { AgentEvent, EventKind } from '../../src/schema/event.ts';

/** All events of a stream that ends. */
export async function readEvents(stream: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

/** Reads until an event of that kind, and returns it. */
export async function waitForEvent<K extends EventKind>(
  stream: AsyncIterable<AgentEvent>,
  kind: K,
): Promise<Extract<AgentEvent, { kind: K }>> {
  for await (const event of stream) if (event.kind === kind) return event as Extract<AgentEvent, { kind: K }>;
  throw new Error(`the stream ended without ${kind}`);
}
