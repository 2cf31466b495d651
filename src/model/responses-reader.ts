import type { ModelChunk } from '../core/model-chunk.ts';
import type { ModelFinishReason, Usage } from '../schema/message.ts';
import type { AnswerReader } from './answer-reader.ts';
import { type JsonObject, listOf, nameOf, numberOf, objectOf, textOf } from './json.ts';
import { brokenStream, fromStreamedError } from './model-errors.ts';

/** Items of the provider's own tools, with the names that observers read. Others of its tools wait for us, and are not offered. */
const executedTools: Partial<Record<string, string>> = {
  web_search_call: 'web_search',
  file_search_call: 'file_search',
  code_interpreter_call: 'code_interpreter',
  mcp_list_tools: 'mcp_list_tools',
  mcp_call: 'mcp_call',
};

/** Reads an answer of the Responses API. Its parts are told apart by the index of their output item. */
export class ResponsesReader implements AnswerReader {
  readonly #options: { toolName: (wireName: string) => string; thinkingKey: string };
  /** Blocks of which a piece has been streamed: their closing events repeat it whole. */
  readonly #streamed = new Set<string>();
  readonly #openCalls = new Set<string>();
  readonly #doneItems = new Set<string>();
  #usage: Usage | undefined;
  #reason: ModelFinishReason | undefined;

  /** @param options.thinkingKey names, in `ThinkingBlock.provider`, whom the encrypted reasoning is for. */
  constructor(options: { toolName: (wireName: string) => string; thinkingKey: string }) {
    this.#options = options;
  }

  get isComplete(): boolean {
    return this.#reason !== undefined;
  }

  streamed(message: JsonObject): ModelChunk[] {
    const item = itemKey(message);
    const delta = textOf(message['delta']);
    switch (message['type']) {
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        return this.#piece('text', `${item}.${numberOf(message['content_index'])}`, delta);
      case 'response.reasoning_summary_part.added':
        return this.#streamed.has(`thinking:${item}`) ? this.#piece('thinking', item, '\n\n') : [];
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return this.#piece('thinking', item, delta);
      case 'response.output_item.added':
        return this.#opened(item, objectOf(message['item']));
      case 'response.function_call_arguments.delta':
        this.#streamed.add(`call:${item}`);
        return [{ kind: 'tool_call', key: item, argumentsDelta: delta }];
      case 'response.output_item.done':
        return this.#item(item, objectOf(message['item']));
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        return this.whole(objectOf(message['response']));
      default:
        return [];
    }
  }

  /** Also the last event of a stream, where it fills in what was never streamed. */
  whole(body: JsonObject): ModelChunk[] {
    if (body['error']) throw fromStreamedError(body['error']);
    if (body['usage']) this.#usage = readUsage(objectOf(body['usage']));
    const chunks = listOf(body['output']).flatMap((item, index) => this.#item(String(index), objectOf(item)));
    this.#reason = readReason(body);
    return chunks;
  }

  done(): void {
    this.#reason ??= 'unknown';
  }

  end(): ModelChunk[] {
    const reason = this.#reason ?? 'unknown';
    const isAboutCalls = this.#openCalls.size > 0 && (reason === 'stop' || reason === 'unknown');
    return [
      ...(this.#usage ? [{ kind: 'usage' as const, usage: this.#usage }] : []),
      { kind: 'finish', reason: isAboutCalls ? 'tool_calls' : reason },
    ];
  }

  #piece(kind: 'text' | 'thinking', key: string, delta: string): ModelChunk[] {
    if (delta === '') return [];
    this.#streamed.add(`${kind}:${key}`);
    return [{ kind, key, delta }];
  }

  #opened(key: string, item: JsonObject): ModelChunk[] {
    if (item['type'] !== 'function_call' || this.#openCalls.has(key)) return [];
    this.#openCalls.add(key);
    const id = nameOf(item['call_id']) ?? nameOf(item['id']);
    return [
      {
        kind: 'tool_call',
        key,
        ...(id === undefined ? {} : { providerCallId: id }),
        name: this.#options.toolName(textOf(item['name'])),
      },
    ];
  }

  /** A finished item: whatever of it was not streamed yet. */
  #item(key: string, item: JsonObject): ModelChunk[] {
    const id = nameOf(item['id']) ?? key;
    if (this.#doneItems.has(key) || this.#doneItems.has(id)) return [];
    this.#doneItems.add(key).add(id);
    switch (item['type']) {
      case 'message':
        return listOf(item['content']).flatMap((part, place) => {
          const blockKey = `${key}.${place}`;
          const text = textOf(objectOf(part)['text'] ?? objectOf(part)['refusal']);
          return this.#streamed.has(`text:${blockKey}`) ? [] : this.#piece('text', blockKey, text);
        });
      case 'reasoning':
        return this.#reasoning(key, item);
      case 'function_call': {
        const args = this.#streamed.has(`call:${key}`) ? '' : textOf(item['arguments']);
        return [...this.#opened(key, item), { kind: 'tool_call', key, argumentsDelta: args }];
      }
      default:
        return this.#executed(key, item);
    }
  }

  /** What the provider ran by itself: a call with its result, which goes back with the next request as it came. */
  #executed(key: string, item: JsonObject): ModelChunk[] {
    const name = executedTools[textOf(item['type'])];
    if (name === undefined) return [];
    const { status: _, ...kept } = item;
    const { type: __, id, ...facts } = kept;
    return [
      {
        kind: 'tool_call',
        key,
        name: nameOf(item['name']) ?? name,
        ...(typeof id === 'string' ? { providerCallId: id } : {}),
        argumentsDelta: textOf(item['arguments']) || JSON.stringify(item['action'] ?? {}),
        executed: { result: JSON.stringify(facts), provider: { [this.#options.thinkingKey]: kept } },
      },
    ];
  }

  /** The item as a whole goes back with the next request: `encrypted_content` is what the model remembers its thoughts by. */
  #reasoning(key: string, item: JsonObject): ModelChunk[] {
    const parts = [...listOf(item['summary']), ...listOf(item['content'])];
    const text = parts.map((part) => textOf(objectOf(part)['text'])).filter((part) => part !== '');
    const delta = this.#streamed.has(`thinking:${key}`) ? '' : text.join('\n\n');
    if (!item['encrypted_content']) return delta === '' ? [] : this.#piece('thinking', key, delta);
    const { status: _, ...kept } = item;
    return [{ kind: 'thinking', key, delta, provider: { [this.#options.thinkingKey]: kept } }];
  }
}

function itemKey(event: JsonObject): string {
  const index = event['output_index'];
  return typeof index === 'number'
    ? String(index)
    : textOf(event['item_id'] ?? objectOf(event['item'])['id']);
}

function readReason(body: JsonObject): ModelFinishReason {
  switch (body['status']) {
    case 'completed':
    case undefined:
      return 'stop';
    case 'incomplete': {
      const reason = objectOf(body['incomplete_details'])['reason'];
      return reason === 'max_output_tokens' ? 'length' : reason === 'content_filter' ? reason : 'unknown';
    }
    default:
      throw brokenStream(`The model endpoint ended its answer with status ${textOf(body['status'])}`);
  }
}

function readUsage(usage: JsonObject): Usage {
  return {
    inputTokens: numberOf(usage['input_tokens']),
    outputTokens: numberOf(usage['output_tokens']),
    cachedInputTokens: numberOf(objectOf(usage['input_tokens_details'])['cached_tokens']),
    reasoningTokens: numberOf(objectOf(usage['output_tokens_details'])['reasoning_tokens']),
  };
}
