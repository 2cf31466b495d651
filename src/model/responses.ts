import type OpenAI from 'openai';
import { type Endpoint, openClient } from './endpoint.ts';
import { takesMedia } from './media-globs.ts';
import type { ModelAdapter, ModelCapabilities, ModelRequest } from './model.ts';
import { isResponsesMedia, toResponsesInput } from './responses-messages.ts';
import { ResponsesReader } from './responses-reader.ts';
import { runCall } from './run-call.ts';
import { ToolNames } from './tool-names.ts';
import { toWireItems } from './wire-messages.ts';

/** Speaks the OpenAI Responses API, without its storage: what the model thought travels encrypted in our own transcript. */
export function createResponsesAdapter(
  endpoint: Endpoint,
  capabilities: ModelCapabilities,
  client: OpenAI = openClient(endpoint),
): ModelAdapter {
  return {
    call(request, signal) {
      const names = new ToolNames(request.tools);
      // Another model can't decrypt these thoughts, and would refuse the request.
      const thinkingKey = `${endpoint.provider}/${request.model}`;
      const body = toBody(request, { names, capabilities, thinkingKey });
      return runCall(
        (aborted) =>
          client.responses
            .create(body, { signal: aborted, timeout: request.timeouts.totalMs + 60_000 })
            .asResponse(),
        new ResponsesReader({ toolName: (name) => names.fromWire(name), thinkingKey }),
        request,
        signal,
      );
    },
  };
}

function toBody(
  {
    model,
    system,
    messages,
    tools,
    providerTools = [],
    toolChoice = 'auto',
    settings,
    isStreaming,
  }: ModelRequest,
  rules: { names: ToolNames; capabilities: ModelCapabilities; thinkingKey: string },
): OpenAI.Responses.ResponseCreateParams {
  const { names, capabilities, thinkingKey } = rules;
  const items = toWireItems(messages, {
    names,
    takes: (block) => isResponsesMedia(block) && takesMedia(capabilities, block.mediaType),
  });
  return {
    model,
    store: false,
    ...(capabilities.isReasoning ? { include: ['reasoning.encrypted_content'] } : {}),
    ...(system.trim() === '' ? {} : { instructions: system }),
    input: toResponsesInput(items, thinkingKey),
    ...(tools.length + providerTools.length === 0
      ? {}
      : {
          tools: [
            ...tools.map(({ name, description, parameters }) => ({
              type: 'function' as const,
              name: names.toWire(name),
              description,
              parameters,
              strict: false,
            })),
            ...(providerTools as unknown as OpenAI.Responses.Tool[]),
          ],
          ...(toolChoice === 'auto'
            ? {}
            : {
                tool_choice:
                  typeof toolChoice === 'string'
                    ? toolChoice
                    : { type: 'function' as const, name: names.toWire(toolChoice.tool) },
              }),
          ...(settings.parallelToolCalls === undefined
            ? {}
            : { parallel_tool_calls: settings.parallelToolCalls }),
        }),
    ...(settings.temperature === undefined ? {} : { temperature: settings.temperature }),
    ...(settings.topP === undefined ? {} : { top_p: settings.topP }),
    ...(settings.maxOutputTokens === undefined ? {} : { max_output_tokens: settings.maxOutputTokens }),
    ...(settings.reasoningEffort === undefined
      ? {}
      : { reasoning: { effort: settings.reasoningEffort, summary: 'auto' as const } }),
    ...(isStreaming ? { stream: true } : {}),
    ...settings.extra,
  };
}
