import type { ModelChunk } from '../core/model-chunk.ts';
import type { Json } from '../schema/message.ts';
import type { AnswerReader } from './answer-reader.ts';
import { type JsonObject, objectOf } from './json.ts';
import { ModelError } from './model-error.ts';
import { brokenStream, fromStreamedError, toModelError } from './model-errors.ts';
import type { ModelRequest } from './model.ts';
import { SseDecoder, type SseMessage } from './sse.ts';
import { CallClock } from './timeouts.ts';

/**
 * Makes one call and reads its answer, in whichever of the two forms it comes: some endpoints stream although nobody asked, or the
 * other way round. Closes the connection when `signal` aborts, when a limit passes, and when the reader of the chunks goes away.
 */
export async function* runCall(
  send: (signal: AbortSignal) => Promise<Response>,
  reader: AnswerReader,
  request: Pick<ModelRequest, 'timeouts' | 'isStreaming'>,
  signal: AbortSignal,
): AsyncGenerator<ModelChunk, void, undefined> {
  const clock = new CallClock(request.timeouts, signal);
  try {
    clock.expect(request.isStreaming ? 'connectMs' : 'totalMs');
    const response = await clock.waitFor(send(clock.signal));
    if (isStream(response, request.isStreaming)) yield* readStream(response, reader, clock);
    else yield* reader.whole(parseBody(await clock.waitFor(orBroken(response.text())), response));
    yield* reader.end();
  } catch (error) {
    signal.throwIfAborted();
    if (!reader.isComplete)
      throw clock.signal.aborted ? toModelError(clock.signal.reason) : toModelError(error);
    yield* reader.end();
  } finally {
    clock.stop();
  }
}

/** After its finish reason a stream has at most its usage to tell; then the connection is better kept than closed, but not waited for. */
const afterFinishMs = 1_000;

async function* readStream(
  response: Response,
  reader: AnswerReader,
  clock: CallClock,
): AsyncGenerator<ModelChunk, void, undefined> {
  if (!response.body) throw brokenStream('The model endpoint answered with an empty body');
  const decoder = new SseDecoder();
  const bytes = response.body.getReader();
  clock.expect('firstTokenMs');
  for (;;) {
    const { done, value } = await clock.waitFor(orBroken(bytes.read()));
    const messages = done ? decoder.end() : decoder.push(value);
    for (const message of messages) {
      if (message.data === '[DONE]') reader.done();
      else yield* reader.streamed(parseMessage(message));
      clock.expect('idleMs', reader.isComplete ? afterFinishMs : undefined);
    }
    if (!done) continue;
    if (!reader.isComplete)
      throw brokenStream('The model endpoint ended its stream without a finish reason or [DONE]');
    return;
  }
}

/** Names what the network throws in the middle of a body. */
async function orBroken<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    throw brokenStream('The connection to the model endpoint broke in the middle of the answer', error);
  }
}

/** By its content type; one that is missing or wrong counts as what was asked for. */
function isStream(response: Response, wasAsked: boolean): boolean {
  const type = response.headers.get('content-type') ?? '';
  if (type.includes('text/event-stream')) return true;
  return wasAsked && !type.includes('json') && !type.includes('html');
}

function parseMessage({ event, data }: SseMessage): JsonObject {
  let parsed: Json;
  try {
    parsed = JSON.parse(data) as Json;
  } catch (error) {
    throw brokenStream(`The model endpoint sent a message that is no JSON: ${data.slice(0, 200)}`, error);
  }
  const message = objectOf(parsed);
  if (message['error']) throw fromStreamedError(message['error']);
  if (event === 'error' || message['type'] === 'error') throw fromStreamedError(message);
  return message;
}

function parseBody(text: string, response: Response): JsonObject {
  let parsed: Json;
  try {
    parsed = JSON.parse(text) as Json;
  } catch (error) {
    const type = response.headers.get('content-type') ?? 'no content type';
    if (type.includes('json')) throw brokenStream('The model endpoint sent broken JSON', error);
    throw new ModelError(
      'invalid_request',
      `${response.url} answered with ${type} where JSON was expected. Check the base URL of the provider: it usually ends in /v1`,
      { status: response.status, cause: error },
    );
  }
  const body = objectOf(parsed);
  if (body['error']) throw fromStreamedError(body['error']);
  return body;
}
