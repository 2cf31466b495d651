import { createParser, type EventSourceMessage } from 'eventsource-parser';

export interface SseStream {
  status: number;
  /** Messages as they come; `break` closes the connection. */
  messages: AsyncGenerator<EventSourceMessage, void, void>;
  close(): void;
}

export async function openSse(url: string, headers: Record<string, string> = {}): Promise<SseStream> {
  const abort = new AbortController();
  const response = await fetch(url, { headers, signal: abort.signal });
  async function* read(): AsyncGenerator<EventSourceMessage, void, void> {
    const queue: EventSourceMessage[] = [];
    const parser = createParser({ onEvent: (message) => queue.push(message) });
    const decoder = new TextDecoder();
    try {
      for await (const chunk of response.body ?? []) {
        parser.feed(decoder.decode(chunk, { stream: true }));
        yield* queue.splice(0);
      }
    } finally {
      abort.abort();
    }
  }
  return { status: response.status, messages: read(), close: () => abort.abort() };
}

/** The messages up to, and with, the first of that event; all of them where the stream ends before. */
export async function readUntil(stream: SseStream, event: string, count = 1): Promise<EventSourceMessage[]> {
  const read: EventSourceMessage[] = [];
  for await (const message of stream.messages) {
    read.push(message);
    if (read.filter((one) => one.event === event).length === count) break;
  }
  return read;
}
