import type { Answer, AnswerPart, WireOptions } from './step.ts';

/** A message of an SSE stream. */
export interface Frame {
  event?: string;
  data: string;
}

/** An answer made ready for the wire: ids given, tokens counted. */
export interface AnswerPlan {
  id: string;
  model: string;
  thinking: string;
  text: string;
  calls: { id: string; name: string; arguments: string }[];
  finishReason: string;
  tokens: { input: number; output: number; cached: number; reasoning: number };
  wire: WireOptions;
}

export function planAnswer(
  answer: Answer,
  request: { model: string; characters: number; newId: (prefix: string) => string; defaults: WireOptions },
): AnswerPlan {
  const written = (type: 'thinking' | 'text'): string =>
    answer.parts.map((part) => (part.type === type ? part.text : '')).join('');
  const calls = answer.parts
    .filter((part): part is Extract<AnswerPart, { type: 'call' }> => part.type === 'call')
    .map((call) => ({ id: call.id ?? request.newId('call'), name: call.name, arguments: call.arguments }));
  const { tokens, finishReason, ...wire } = answer.options;
  const thinking = written('thinking');
  const text = written('text');
  const output = text.length + thinking.length + calls.reduce((sum, call) => sum + call.arguments.length, 0);
  return {
    id: request.newId('answer'),
    model: request.model,
    thinking,
    text,
    calls,
    finishReason: finishReason ?? (calls.length > 0 ? 'tool_calls' : 'stop'),
    tokens: {
      input: tokens?.input ?? Math.ceil(request.characters / 4),
      output: tokens?.output ?? Math.ceil(output / 4),
      cached: tokens?.cached ?? 0,
      reasoning: tokens?.reasoning ?? Math.ceil(thinking.length / 4),
    },
    wire: { ...request.defaults, ...wire },
  };
}

/** Cuts text into pieces, never inside a character. */
export function fragments(text: string, size = 24): string[] {
  return text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'gu')) ?? [];
}

/** Fragments of each call, in the order in which the wire options want them. `first` opens a call. */
export function callFragments(plan: AnswerPlan): { call: number; first: boolean; delta: string }[] {
  const perCall = plan.calls.map((call, index) => {
    if (plan.wire.callStyle === 'whole') return [{ call: index, first: true, delta: call.arguments }];
    const pieces = fragments(call.arguments, plan.wire.fragment).map((delta) => ({
      call: index,
      first: false,
      delta,
    }));
    return [{ call: index, first: true, delta: '' }, ...pieces];
  });
  if (plan.wire.callStyle !== 'interleaved') return perCall.flat();
  const longest = Math.max(0, ...perCall.map((pieces) => pieces.length));
  return Array.from({ length: longest }, (_, turn) => perCall.flatMap((pieces) => pieces[turn] ?? [])).flat();
}
