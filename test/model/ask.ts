import type { ModelChunk } from '../../src/core/model-chunk.ts';
import { foldEvents } from '../../src/core/fold-events.ts';
import { StreamAccumulator } from '../../src/core/stream-accumulator.ts';
import {
  defaultTimeouts,
  type ModelAdapter,
  type ModelCapabilities,
  type ModelRequest,
} from '../../src/model/model.ts';
import { createModelRegistry } from '../../src/model/registry.ts';
import type { EventBody } from '../../src/schema/event.ts';
import type { Block, Msg, Role } from '../../src/schema/message.ts';

export type Api = 'chat' | 'responses';

export function adapterOf(
  baseUrl: string,
  api: Api,
  capabilities: Partial<ModelCapabilities> = {},
): ModelAdapter {
  const providers = { test: { baseUrl, api, models: { m: { isReasoning: true, ...capabilities } } } };
  return createModelRegistry({ providers, env: {} }).resolve('test/m').adapter;
}

export function aRequest(changes: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: 'm',
    system: 'You help.',
    messages: [aMsg('user', [aText('hi')])],
    tools: [],
    settings: {},
    isStreaming: true,
    timeouts: defaultTimeouts,
    ...changes,
  };
}

let seq = 0;
export function aMsg(role: Role, content: Block[]): Msg {
  seq += 1;
  return { id: `m${seq}`, seq, turn: 1, step: 1, role, content, createdAt: '2026-11-01T00:00:00Z' };
}

export function aText(text: string): Extract<Block, { type: 'text' }> {
  return { type: 'text', id: 'b0', text };
}

export function aCall(id: string, name: string, args = '{}', providerCallId?: string): Block {
  return {
    type: 'tool_call',
    id,
    name,
    arguments: args,
    ...(providerCallId === undefined ? {} : { providerCallId }),
  };
}

export function aResult(id: string, content: Extract<Block, { type: 'tool_result' }>['content']): Msg {
  return aMsg('tool', [{ type: 'tool_result', id, name: 'tool', state: 'success', content }]);
}

export async function collect(chunks: AsyncIterable<ModelChunk>): Promise<ModelChunk[]> {
  const all: ModelChunk[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return all;
}

export function ask(adapter: ModelAdapter, changes: Partial<ModelRequest> = {}): Promise<ModelChunk[]> {
  return collect(adapter.call(aRequest(changes), new AbortController().signal));
}

/** The message that an observer would fold from these chunks. */
export function fold(chunks: readonly ModelChunk[]): Msg {
  let calls = 0;
  const accumulator = new StreamAccumulator('answer', () => `own-${(calls += 1)}`);
  const opened: EventBody = {
    kind: 'model_call_start',
    messageId: 'answer',
    seq: 1,
    step: 1,
    attempt: 1,
    model: 'test/m',
    createdAt: '2026-11-01T00:00:00Z',
  };
  const bodies = [opened, ...chunks.flatMap((chunk) => accumulator.push(chunk)), ...accumulator.end()];
  return foldEvents(
    bodies.map((body) => ({ ...body, turnId: 'turn/a/s/1', at: '2026-11-01T00:00:00Z' })),
  )[0]!;
}

/** What was said, without the ids that each endpoint and each call make anew. */
export function gist(message: Msg): unknown {
  return {
    content: message.content.map((block) => {
      if (block.type === 'tool_call') return [block.name, block.arguments];
      return block.type === 'text' || block.type === 'thinking' ? [block.type, block.text] : [block.type];
    }),
    finishReason: message.finishReason,
  };
}

export async function askGist(adapter: ModelAdapter, changes: Partial<ModelRequest> = {}): Promise<unknown> {
  return gist(fold(await ask(adapter, changes)));
}
