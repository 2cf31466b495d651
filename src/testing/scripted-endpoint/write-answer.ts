import type { ServerResponse } from 'node:http';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Json } from '../../schema/message.ts';
import type { Frame } from './answer-plan.ts';
import type { Answer, Break, WireOptions } from './step.ts';

/** Where an answer goes: the open response, and a callback for each SSE message that is written. */
export interface Outlet {
  response: ServerResponse;
  onChunk: () => void;
}

const disconnectedByScript = new WeakSet<ServerResponse>();

/** Tells a connection that a script broke from one that the caller closed. */
export function isDisconnectedByScript(response: ServerResponse): boolean {
  return disconnectedByScript.has(response);
}

/** Writes frames as an SSE stream, up to the cut if there is one. Stops quietly when the caller hangs up. */
export async function writeStream(
  { response, onChunk }: Outlet,
  frames: readonly Frame[],
  wire: WireOptions,
  cut: Answer['cut'],
): Promise<void> {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
  });
  response.flushHeaders();
  const lineEnd = wire.lineEnd ?? '\n';
  for (const frame of frames.slice(0, cut?.afterChunks)) {
    if (wire.delayMs) await setTimeout(wire.delayMs);
    if (response.destroyed) return;
    const comment = wire.comments ? `: keep-alive${lineEnd}${lineEnd}` : '';
    onChunk();
    await writeBytes(response, comment + encode(frame, lineEnd), wire.bytesPerWrite);
  }
  if (!cut) {
    response.end();
    return;
  }
  if (typeof cut.how === 'object') {
    await writeBytes(response, encode({ data: JSON.stringify(cut.how) }, lineEnd), wire.bytesPerWrite);
    response.end();
  } else await stop(response, cut.how);
}

/** Writes a body at once; with a cut its first half, and then the break. */
export async function writeWhole(
  { response, onChunk }: Outlet,
  body: Json,
  cut: Answer['cut'],
): Promise<void> {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(200, {
    'content-type': 'application/json',
    ...(cut ? {} : { 'content-length': bytes.length }),
  });
  onChunk();
  if (!cut) response.end(bytes);
  else {
    response.write(bytes.subarray(0, bytes.length / 2));
    await stop(response, typeof cut.how === 'object' ? 'end' : cut.how);
  }
}

/** Writes a body byte by byte as the script has it, one write a piece. */
export async function writeRaw(
  { response, onChunk }: Outlet,
  writes: readonly (string | Uint8Array)[],
): Promise<void> {
  onChunk();
  await writeEach(response, writes);
  response.end();
}

/** One write each, with a turn of the event loop between, so that they leave as separate packets. */
async function writeEach(response: ServerResponse, writes: readonly (string | Uint8Array)[]): Promise<void> {
  for (const piece of writes) {
    if (response.destroyed) return;
    response.write(piece);
    await setImmediate();
  }
}

async function writeBytes(response: ServerResponse, text: string, bytesPerWrite?: number): Promise<void> {
  if (bytesPerWrite === undefined) {
    response.write(text);
    return;
  }
  const bytes = Buffer.from(text);
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += bytesPerWrite)
    pieces.push(bytes.subarray(at, at + bytesPerWrite));
  await writeEach(response, pieces);
}

function encode(frame: Frame, lineEnd: string): string {
  const event = frame.event === undefined ? '' : `event: ${frame.event}${lineEnd}`;
  return `${event}data: ${frame.data}${lineEnd}${lineEnd}`;
}

async function stop(response: ServerResponse, how: Exclude<Break, object>): Promise<void> {
  if (how === 'hang') return;
  if (how === 'end') {
    response.end();
    return;
  }
  // Closed after the flush: a reset would discard what the caller has not read yet, and so make tests depend on timing.
  disconnectedByScript.add(response);
  response.socket?.destroySoon();
}
