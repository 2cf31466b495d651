import type { ModelChunk } from '../core/model-chunk.ts';
import type { Json, ModelFinishReason, Usage } from '../schema/message.ts';
import type { AnswerReader } from './answer-reader.ts';
import { CallKeys } from './call-keys.ts';
import { mediaFromUrl } from './data-url.ts';
import { type JsonObject, listOf, nameOf, numberOf, objectOf, textOf } from './json.ts';
import { brokenStream } from './model-errors.ts';

const finishReasons: Record<string, ModelFinishReason> = {
  stop: 'stop',
  end_turn: 'stop',
  eos: 'stop',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  tool_use: 'tool_calls',
  length: 'length',
  max_tokens: 'length',
  model_length: 'length',
  content_filter: 'content_filter',
  safety: 'content_filter',
};

/** Reads an answer of Chat Completions, as OpenAI sends it and as others do. */
export class ChatReader implements AnswerReader {
  readonly #toolName: (wireName: string) => string;
  readonly #keys = new CallKeys();
  #usage: Usage | undefined;
  #reason: ModelFinishReason | undefined;
  #hasCalls = false;
  #images = 0;

  /** @param toolName gives the name of a tool for its name on the wire. */
  constructor(toolName: (wireName: string) => string) {
    this.#toolName = toolName;
  }

  get isComplete(): boolean {
    return this.#reason !== undefined;
  }

  streamed(message: JsonObject): ModelChunk[] {
    if (message['usage']) this.#usage = readUsage(objectOf(message['usage']));
    const choice = listOf(message['choices'])
      .map(objectOf)
      .find((one) => numberOf(one['index']) === 0);
    if (!choice) return [];
    const chunks = this.#delta(objectOf(choice['delta'] ?? choice['message']));
    const reason = nameOf(choice['finish_reason']);
    if (reason === 'error') throw brokenStream('The model endpoint gave up in the middle of its answer');
    if (reason) this.#reason = finishReasons[reason.toLowerCase()] ?? 'unknown';
    return chunks;
  }

  whole(body: JsonObject): ModelChunk[] {
    if (listOf(body['choices']).length === 0)
      throw brokenStream('The model endpoint answered without any choice');
    const chunks = this.streamed(body);
    this.#reason ??= 'unknown';
    return chunks;
  }

  done(): void {
    this.#reason ??= 'unknown';
  }

  end(): ModelChunk[] {
    const reason = this.#reason ?? 'unknown';
    // Several endpoints say `stop`, or nothing, after tool calls.
    const isAboutCalls = this.#hasCalls && (reason === 'stop' || reason === 'unknown');
    return [
      ...(this.#usage ? [{ kind: 'usage' as const, usage: this.#usage }] : []),
      { kind: 'finish', reason: isAboutCalls ? 'tool_calls' : reason },
    ];
  }

  #delta(delta: JsonObject): ModelChunk[] {
    const chunks: ModelChunk[] = [];
    const thinking = nameOf(delta['reasoning_content']) ?? textOf(delta['reasoning']);
    if (thinking !== '') chunks.push({ kind: 'thinking', key: 'thinking', delta: thinking });
    chunks.push(...readContent(delta['content']));
    const refusal = textOf(delta['refusal']);
    if (refusal !== '') chunks.push({ kind: 'text', key: 'text', delta: refusal });
    for (const image of listOf(delta['images'])) {
      const media = mediaFromUrl(textOf(objectOf(objectOf(image)['image_url'])['url']), 'image/png');
      if (media) chunks.push({ kind: 'data', key: `image${this.#images++}`, ...media });
    }
    listOf(delta['tool_calls']).forEach((call, position) => {
      chunks.push(this.#call(objectOf(call), position));
    });
    return chunks;
  }

  #call(call: JsonObject, position: number): ModelChunk {
    this.#hasCalls = true;
    const called = objectOf(call['function']);
    const id = nameOf(call['id']);
    const name = nameOf(called['name']);
    const index = typeof call['index'] === 'number' ? call['index'] : undefined;
    const written = called['arguments'];
    return {
      kind: 'tool_call',
      key: this.#keys.keyOf({ index, id, name, position }),
      ...(id === undefined ? {} : { providerCallId: id }),
      ...(name === undefined ? {} : { name: this.#toolName(name) }),
      // Some endpoints send the arguments as an object instead of its text.
      argumentsDelta:
        typeof written === 'object' && written !== null ? JSON.stringify(written) : textOf(written),
    };
  }
}

/** Text, or a list of parts, where Mistral's thinking comes as a part as well. */
function readContent(content: Json | undefined): ModelChunk[] {
  if (typeof content === 'string')
    return content === '' ? [] : [{ kind: 'text', key: 'text', delta: content }];
  const chunks: ModelChunk[] = [];
  for (const part of listOf(content).map(objectOf)) {
    const isThinking = part['type'] === 'thinking';
    const nested = listOf(part['thinking']).map((piece) => textOf(objectOf(piece)['text']));
    const delta = isThinking
      ? nested.join('') || textOf(part['thinking'])
      : textOf(part['text'] ?? part['refusal']);
    if (delta !== '')
      chunks.push(
        isThinking ? { kind: 'thinking', key: 'thinking', delta } : { kind: 'text', key: 'text', delta },
      );
  }
  return chunks;
}

function readUsage(usage: JsonObject): Usage {
  const cached =
    objectOf(usage['prompt_tokens_details'])['cached_tokens'] ?? usage['prompt_cache_hit_tokens'];
  return {
    inputTokens: numberOf(usage['prompt_tokens']),
    outputTokens: numberOf(usage['completion_tokens']),
    cachedInputTokens: numberOf(cached),
    reasoningTokens: numberOf(objectOf(usage['completion_tokens_details'])['reasoning_tokens']),
  };
}
