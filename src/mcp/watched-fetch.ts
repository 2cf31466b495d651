import { AsyncLocalStorage } from 'node:async_hooks';
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import { McpServerError } from './mcp-error.ts';
import { maxMessageBytes } from './stdio-transport.ts';

/** A request that waits for its answer. */
export interface InFlight {
  fail(error: McpServerError): void;
}

/** The request that the SDK is sending: it keeps no track of which answer belongs to which `fetch`. */
export const inFlight = new AsyncLocalStorage<InFlight>();

/** An answer whose stream has ended is in our hands within this, or was never sent. */
const graceMs = 1_000;

/**
 * `fetch` that notices when an answer ends, or breaks off, without its message: the SDK would wait for that until its time limit. And it
 * cuts off what is larger than is taken. A stream with event ids is left to the SDK, which resumes it.
 */
export const watchedFetch: FetchLike = async (url, init) => {
  const request = init?.method === 'POST' ? inFlight.getStore() : undefined;
  const response = await fetch(url, init);
  if (request === undefined || !response.ok || response.body === null || response.status === 202)
    return response;
  const { status, statusText, headers } = response;
  return new Response(watched(response.body, request), { status, statusText, headers });
};

function watched(body: ReadableStream<Uint8Array>, request: InFlight): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let bytes = 0;
  let canResume = false;
  const end = (): void => {
    const lost = new McpServerError('lost', 'the connection ended before the answer was complete');
    if (!canResume) setTimeout(() => request.fail(lost), graceMs).unref();
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          controller.close();
          return end();
        }
        bytes += value.byteLength;
        if (bytes > maxMessageBytes) {
          request.fail(new McpServerError('too_large', 'its answer is larger than is taken'));
          controller.error(new Error(`more than ${maxMessageBytes} bytes`));
          await reader.cancel();
          return;
        }
        canResume ||= hasEventId(value);
        controller.enqueue(value);
      } catch (error) {
        controller.error(error);
        end();
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

function hasEventId(chunk: Uint8Array): boolean {
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  return bytes.subarray(0, 3).toString('latin1') === 'id:' || bytes.includes('\nid:');
}
