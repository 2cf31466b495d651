/** One message of an event stream. */
export interface SseMessage {
  event: string;
  data: string;
}

/**
 * Decodes a server-sent event stream from bytes that may be split anywhere (https://html.spec.whatwg.org/#event-stream-interpretation).
 * Our own, because the SDK's hides `[DONE]`: without it a stream that was cut off can't be told from one that ended.
 */
export class SseDecoder {
  readonly #text = new TextDecoder();
  #rest = '';
  #event = '';
  #data: string[] = [];

  push(bytes: Uint8Array): SseMessage[] {
    return this.#lines(this.#text.decode(bytes, { stream: true }));
  }

  /** What is left at the end of the stream: some servers leave out the last blank line. */
  end(): SseMessage[] {
    return [...this.#lines(`${this.#text.decode()}\n`), ...this.#line('')];
  }

  #lines(text: string): SseMessage[] {
    const messages: SseMessage[] = [];
    const buffer = this.#rest + text;
    let start = 0;
    for (;;) {
      const end = nextLineEnd(buffer, start);
      if (end === -1) break;
      messages.push(...this.#line(buffer.slice(start, end)));
      start = end + (buffer[end] === '\r' && buffer[end + 1] === '\n' ? 2 : 1);
    }
    this.#rest = buffer.slice(start);
    return messages;
  }

  #line(line: string): SseMessage[] {
    if (line === '') {
      const message = { event: this.#event, data: this.#data.join('\n') };
      const isEmpty = this.#data.length === 0;
      this.#event = '';
      this.#data = [];
      return isEmpty ? [] : [message];
    }
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') this.#data.push(value);
    else if (field === 'event') this.#event = value;
    return [];
  }
}

/** A `\r` at the very end is no line end yet: the next byte may be its `\n`. */
function nextLineEnd(buffer: string, start: number): number {
  const newline = buffer.indexOf('\n', start);
  const limit = newline === -1 ? buffer.length - 1 : newline;
  const carriage = buffer.slice(start, limit).indexOf('\r');
  return carriage === -1 ? newline : start + carriage;
}
