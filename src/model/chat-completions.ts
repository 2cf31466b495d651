import type OpenAI from 'openai';
import { ChatReader } from './chat-reader.ts';
import { isChatMedia, toChatMessages } from './chat-messages.ts';
import { type Endpoint, isOpenAi, openClient } from './endpoint.ts';
import { takesMedia } from './media-globs.ts';
import type { ModelAdapter, ModelCapabilities, ModelRequest, ToolChoice } from './model.ts';
import { ModelError } from './model-error.ts';
import { runCall } from './run-call.ts';
import { ToolNames } from './tool-names.ts';
import { toWireItems } from './wire-messages.ts';

/** Speaks OpenAI Chat Completions, the dialect that nearly every endpoint understands. */
export function createChatAdapter(
  endpoint: Endpoint,
  capabilities: ModelCapabilities,
  client: OpenAI = openClient(endpoint),
): ModelAdapter {
  return {
    async *call(request, signal) {
      if (request.providerTools?.length)
        throw new ModelError(
          'invalid_request',
          "The agent has providerTools, which Chat Completions does not know: give its provider api: 'responses'",
        );
      const names = new ToolNames(request.tools);
      const body = toBody(request, { names, capabilities, isOpenAi: isOpenAi(endpoint.baseUrl) });
      yield* runCall(
        (aborted) =>
          client.chat.completions
            .create(body, { signal: aborted, timeout: request.timeouts.totalMs + 60_000 })
            .asResponse(),
        new ChatReader((name) => names.fromWire(name)),
        request,
        signal,
      );
    },
  };
}

function toBody(
  { model, system, messages, tools, toolChoice = 'auto', settings, isStreaming }: ModelRequest,
  rules: { names: ToolNames; capabilities: ModelCapabilities; isOpenAi: boolean },
): OpenAI.ChatCompletionCreateParams {
  const { names, capabilities } = rules;
  const items = toWireItems(messages, {
    names,
    takes: (block) => isChatMedia(block) && takesMedia(capabilities, block.mediaType),
  });
  // OpenAI's reasoning models refuse the old name, others know only that.
  const limit = rules.isOpenAi ? 'max_completion_tokens' : 'max_tokens';
  return {
    model,
    messages: toChatMessages(system, items),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, parameters }) => ({
            type: 'function' as const,
            function: { name: names.toWire(name), description, parameters },
          })),
          ...(toolChoice === 'auto' ? {} : { tool_choice: toWireChoice(toolChoice, names) }),
          ...(settings.parallelToolCalls === undefined
            ? {}
            : { parallel_tool_calls: settings.parallelToolCalls }),
        }),
    ...(settings.temperature === undefined ? {} : { temperature: settings.temperature }),
    ...(settings.topP === undefined ? {} : { top_p: settings.topP }),
    ...(settings.maxOutputTokens === undefined ? {} : { [limit]: settings.maxOutputTokens }),
    ...(settings.reasoningEffort === undefined ? {} : { reasoning_effort: settings.reasoningEffort }),
    ...(isStreaming ? { stream: true, stream_options: { include_usage: true } } : {}),
    ...settings.extra,
  };
}

function toWireChoice(choice: ToolChoice, names: ToolNames): OpenAI.ChatCompletionToolChoiceOption {
  return typeof choice === 'string'
    ? choice
    : { type: 'function', function: { name: names.toWire(choice.tool) } };
}
