import type { Json } from '../../schema/message.ts';
import { type AnswerPlan, callFragments, type Frame, fragments } from './answer-plan.ts';

type Event = { type: string } & Record<string, Json>;

/** An answer as the event stream of the Responses API. */
export function responsesFrames(plan: AnswerPlan): Frame[] {
  const frames: Frame[] = [];
  const send = (event: Event): void => {
    frames.push({ event: event.type, data: JSON.stringify({ ...event, sequence_number: frames.length }) });
  };
  const items = outputItems(plan);
  send({ type: 'response.created', response: envelope(plan, 'in_progress', []) });

  let index = 0;
  if (plan.thinking !== '') sendThinking(plan, items[index]!, index++, send);
  if (plan.text !== '') sendText(plan, items[index]!, index++, send);
  sendCalls(plan, items.slice(index), index, send);

  const status = isIncomplete(plan) ? 'incomplete' : 'completed';
  send({ type: `response.${status}`, response: envelope(plan, status, items) });
  return frames;
}

/** The same answer without streaming. */
export function responsesAnswer(plan: AnswerPlan): Json {
  return envelope(plan, isIncomplete(plan) ? 'incomplete' : 'completed', outputItems(plan));
}

function sendThinking(plan: AnswerPlan, item: Json, index: number, send: (event: Event) => void): void {
  const at = { item_id: `rs_${plan.id}`, output_index: index, summary_index: 0 };
  const added = { ...(item as Record<string, Json>), summary: [] };
  send({ type: 'response.output_item.added', output_index: index, item: added });
  send({ type: 'response.reasoning_summary_part.added', ...at, part: { type: 'summary_text', text: '' } });
  for (const delta of fragments(plan.thinking, plan.wire.fragment))
    send({ type: 'response.reasoning_summary_text.delta', ...at, delta });
  send({ type: 'response.reasoning_summary_text.done', ...at, text: plan.thinking });
  send({ type: 'response.output_item.done', output_index: index, item });
}

function sendText(plan: AnswerPlan, item: Json, index: number, send: (event: Event) => void): void {
  const at = { item_id: `msg_${plan.id}`, output_index: index, content_index: 0 };
  const added = { ...(item as Record<string, Json>), content: [], status: 'in_progress' };
  send({ type: 'response.output_item.added', output_index: index, item: added });
  send({ type: 'response.content_part.added', ...at, part: outputText('') });
  for (const delta of fragments(plan.text, plan.wire.fragment))
    send({ type: 'response.output_text.delta', ...at, delta });
  send({ type: 'response.output_text.done', ...at, text: plan.text });
  send({ type: 'response.content_part.done', ...at, part: outputText(plan.text) });
  send({ type: 'response.output_item.done', output_index: index, item });
}

function sendCalls(plan: AnswerPlan, items: Json[], firstIndex: number, send: (event: Event) => void): void {
  const left = callFragments(plan);
  const last = new Map(left.map((fragment, place) => [fragment.call, place]));
  left.forEach(({ call, first, delta }, place) => {
    const item = items[call] as Record<string, Json>;
    const at = { item_id: item['id']!, output_index: firstIndex + call };
    if (first)
      send({
        type: 'response.output_item.added',
        output_index: at.output_index,
        item: { ...item, arguments: '', status: 'in_progress' },
      });
    if (delta !== '' && plan.wire.callStyle !== 'whole')
      send({ type: 'response.function_call_arguments.delta', ...at, delta });
    if (last.get(call) !== place) return;
    send({ type: 'response.function_call_arguments.done', ...at, arguments: item['arguments']! });
    send({ type: 'response.output_item.done', output_index: at.output_index, item });
  });
}

function outputItems(plan: AnswerPlan): Json[] {
  const items: Json[] = [];
  if (plan.thinking !== '')
    items.push({
      type: 'reasoning',
      id: `rs_${plan.id}`,
      summary: [{ type: 'summary_text', text: plan.thinking }],
      encrypted_content: `encrypted:${plan.id}`,
    });
  if (plan.text !== '')
    items.push({
      type: 'message',
      id: `msg_${plan.id}`,
      role: 'assistant',
      status: 'completed',
      content: [outputText(plan.text)],
    });
  plan.calls.forEach((call, place) =>
    items.push({
      type: 'function_call',
      id: `fc_${plan.id}_${place}`,
      call_id: call.id,
      name: call.name,
      arguments: call.arguments,
      status: 'completed',
    }),
  );
  return items;
}

function outputText(text: string): Json {
  return { type: 'output_text', text, annotations: [] };
}

function isIncomplete(plan: AnswerPlan): boolean {
  return plan.finishReason === 'length' || plan.finishReason === 'content_filter';
}

function envelope(plan: AnswerPlan, status: string, output: Json[]): Json {
  const { tokens } = plan;
  const reason = plan.finishReason === 'length' ? 'max_output_tokens' : plan.finishReason;
  return {
    id: `resp_${plan.id}`,
    object: 'response',
    created_at: 1_760_000_000,
    model: plan.model,
    status,
    error: null,
    incomplete_details: status === 'incomplete' ? { reason } : null,
    output,
    usage:
      status === 'in_progress' || plan.wire.usage === 'omitted'
        ? null
        : {
            input_tokens: tokens.input,
            output_tokens: tokens.output,
            total_tokens: tokens.input + tokens.output,
            input_tokens_details: { cached_tokens: tokens.cached },
            output_tokens_details: { reasoning_tokens: tokens.reasoning },
          },
  };
}
