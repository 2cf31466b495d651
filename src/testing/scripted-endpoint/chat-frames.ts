import type { Json } from '../../schema/message.ts';
import { type AnswerPlan, callFragments, type Frame, fragments } from './answer-plan.ts';

/** An answer as the stream of Chat Completions. */
export function chatFrames(plan: AnswerPlan): Frame[] {
  const { wire } = plan;
  const frames: Frame[] = [];
  const send = (
    choice: { delta: Json; finish_reason?: string } | undefined,
    rest: Record<string, Json> = {},
  ): void => {
    const choices = choice ? [{ index: 0, finish_reason: null, ...choice }] : [];
    const head = { id: plan.id, object: 'chat.completion.chunk', created: 1_760_000_000, model: plan.model };
    frames.push({ data: JSON.stringify({ ...head, choices, ...rest }) });
  };

  send({ delta: { role: 'assistant', content: wire.contentAsArray ? [] : '' } });
  for (const delta of fragments(plan.thinking, wire.fragment))
    send({ delta: { [wire.reasoningField ?? 'reasoning_content']: delta } });
  for (const delta of fragments(plan.text, wire.fragment))
    send({ delta: { content: wire.contentAsArray ? [{ type: 'text', text: delta }] : delta } });
  for (const { call, first, delta } of callFragments(plan)) {
    const { id, name } = plan.calls[call]!;
    const hasId = wire.callId === 'repeated' || (wire.callId !== 'omitted' && first);
    const fragment = {
      ...(wire.callIndex === 'omitted' ? {} : { index: call }),
      ...(hasId ? { id } : {}),
      ...(first
        ? { type: 'function', function: { name, arguments: delta } }
        : { function: { arguments: delta } }),
    };
    send({ delta: { tool_calls: [fragment] } });
  }
  const withFinish = wire.usage === 'with_finish' ? { usage: chatUsage(plan) } : {};
  send({ delta: {}, finish_reason: plan.finishReason }, withFinish);
  if (wire.usage === undefined || wire.usage === 'own_chunk') send(undefined, { usage: chatUsage(plan) });
  if (wire.done !== 'omitted') frames.push({ data: '[DONE]' });
  return frames;
}

/** The same answer without streaming. */
export function chatCompletion(plan: AnswerPlan): Json {
  const { wire } = plan;
  const text = plan.text === '' && plan.calls.length > 0 ? null : plan.text;
  return {
    id: plan.id,
    object: 'chat.completion',
    created: 1_760_000_000,
    model: plan.model,
    choices: [
      {
        index: 0,
        finish_reason: plan.finishReason,
        message: {
          role: 'assistant',
          content: wire.contentAsArray ? [{ type: 'text', text: plan.text }] : text,
          ...(plan.thinking === '' ? {} : { [wire.reasoningField ?? 'reasoning_content']: plan.thinking }),
          ...(plan.calls.length === 0
            ? {}
            : {
                tool_calls: plan.calls.map((call) => ({
                  ...(wire.callId === 'omitted' ? {} : { id: call.id }),
                  type: 'function',
                  function: { name: call.name, arguments: call.arguments },
                })),
              }),
        },
      },
    ],
    ...(wire.usage === 'omitted' ? {} : { usage: chatUsage(plan) }),
  };
}

function chatUsage({ tokens }: AnswerPlan): Json {
  return {
    prompt_tokens: tokens.input,
    completion_tokens: tokens.output,
    total_tokens: tokens.input + tokens.output,
    prompt_tokens_details: { cached_tokens: tokens.cached },
    completion_tokens_details: { reasoning_tokens: tokens.reasoning },
  };
}
