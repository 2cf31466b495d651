import { HttpAgent } from '@ag-ui/client';
import type { BaseEvent, Message, RunAgentInput } from '@ag-ui/core';
import { EventSchemas } from '@ag-ui/core/schemas';
import { expect } from 'vitest';

/** A page that speaks AG-UI, by the protocol's own client. What its server sent is kept, and checked against the protocol's schemas. */
export class AgUiPage extends HttpAgent {
  /** Of all its runs. */
  readonly events: BaseEvent[] = [];
  /** Breaks the connection of the run. */
  dropped = new AbortController();

  constructor(url: string, threadId: string, initialMessages: Message[] = [], headers = {}) {
    super({ url, threadId, initialMessages, headers });
    this.fetch = async (to, init) => {
      this.dropped = new AbortController();
      const response = await fetch(to, { ...init, signal: this.dropped.signal });
      if (!response.ok || !response.body) return response;
      return new Response(response.body.pipeThrough(this.#watch()), response);
    };
  }

  /** How pages that load again take up a run: https://docs.ag-ui.com/sdk/js/client/abstract-agent */
  protected override connect(input: RunAgentInput) {
    return this.run(input);
  }

  say(id: string, content: string): this {
    this.addMessage({ id, role: 'user', content });
    return this;
  }

  /** What the page shows, in short. */
  get shown(): unknown[] {
    return this.messages.flatMap((message): unknown[] => {
      if (message.role === 'assistant')
        return [
          ...(message.content === undefined ? [] : [message.content]),
          ...(message.toolCalls ?? []).map((call) => [call.function.name, call.function.arguments]),
        ];
      return [`${message.role}: ${typeof message.content === 'string' ? message.content : '…'}`];
    });
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- tests assert on its parts
  ofType(type: string): any[] {
    return this.events.filter((event) => (event.type as string) === type);
  }

  /** How its newest run ended. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests assert on its parts
  get outcome(): any {
    const last = this.events.at(-1);
    return last && 'outcome' in last ? last.outcome : last;
  }

  #watch(): TransformStream<Uint8Array, Uint8Array> {
    const decoder = new TextDecoder();
    let text = '';
    return new TransformStream({
      transform: (chunk, controller) => {
        text += decoder.decode(chunk, { stream: true });
        const whole = text.split('\n\n');
        text = whole.pop() ?? '';
        for (const frame of whole)
          if (frame.startsWith('data: ')) this.events.push(conforming(JSON.parse(frame.slice(6))));
        controller.enqueue(chunk);
      },
    });
  }
}

/** The schemas leave out what they do not know, so an event of the protocol comes out as it went in. */
export function conforming(event: unknown): BaseEvent {
  expect(EventSchemas.parse(event)).toEqual(event);
  return event as BaseEvent;
}
