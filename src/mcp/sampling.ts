import {
  ErrorCode,
  McpError,
  type CreateMessageRequestParams,
  type CreateMessageResult,
} from '@modelcontextprotocol/sdk/types.js';
import type { ResolvedModel } from '../model/model.ts';
import { defaultTimeouts } from '../model/model.ts';
import type { Block, Msg } from '../schema/message.ts';
import type { ToolContext } from '../tools/tool.ts';
import type { McpServer } from './server.ts';

/** The model of the agent whose call it is. */
export type Sampler = () => ResolvedModel;

/** How long a person has to allow it. */
export const samplingWaitMs = 10 * 60_000;

interface Spent {
  calls: number;
  isAllowed: boolean;
}

/** What each running call has spent. */
const spent = new WeakMap<ToolContext, Spent>();

/** Asks the agent's model what the server asks, within the limits of its definition and when a person allows it. */
export async function answerSampling(
  server: McpServer,
  sampler: Sampler,
  params: CreateMessageRequestParams,
  call: ToolContext | undefined,
): Promise<CreateMessageResult> {
  const { sampling } = server;
  if (call === undefined || sampling === undefined) throw refusal('there is no call that it could be for');
  const budget = spent.get(call) ?? { calls: 0, isAllowed: sampling.permission === 'allow' };
  spent.set(call, budget);
  if (budget.calls >= sampling.maxCalls)
    throw refusal(`a call may ask the model ${sampling.maxCalls} times at most`);
  budget.calls += 1;
  if (!budget.isAllowed) {
    await askPerson(server, params, call);
    budget.isAllowed = true;
  }
  const { adapter, model } = sampler();
  const request = {
    model,
    system: params.systemPrompt ?? '',
    messages: params.messages.map(toMsg),
    tools: [],
    settings: {
      maxOutputTokens: Math.min(params.maxTokens, sampling.maxTokens),
      ...(params.temperature === undefined ? {} : { temperature: params.temperature }),
    },
    isStreaming: true,
    timeouts: defaultTimeouts,
  };
  let text = '';
  for await (const chunk of adapter.call(request, call.signal))
    if (chunk.kind === 'text') text += chunk.delta;
    else if (chunk.kind === 'usage') call.spend(chunk.usage);
  return { model, role: 'assistant', content: { type: 'text', text }, stopReason: 'endTurn' };
}

async function askPerson(
  server: McpServer,
  params: CreateMessageRequestParams,
  call: ToolContext,
): Promise<void> {
  const [last] = params.messages.slice(-1).map(toMsg);
  const words = last?.content.map((block) => ('text' in block ? block.text : `[${block.type}]`)).join(' ');
  const given = await call.ask(
    {
      question: `${server.name} wants to ask the model in the middle of its call: ${(words ?? '').slice(0, 500)}`,
      options: [{ label: 'Allow', description: 'for this call' }, { label: 'No' }],
      isFree: false,
      isSecret: false,
    },
    { waitMs: samplingWaitMs },
  );
  if (given.kind !== 'answered' || given.answer !== 'Allow') throw refusal('nobody allowed it');
}

function toMsg({ role, content }: CreateMessageRequestParams['messages'][number], index: number): Msg {
  const parts = Array.isArray(content) ? content : [content];
  return {
    id: `s${index}`,
    seq: index + 1,
    turn: 1,
    step: 0,
    role,
    createdAt: '',
    content: parts.map((part, i): Block => {
      const id = `b${i}`;
      if (part.type === 'text') return { type: 'text', id, text: part.text };
      if (part.type === 'image' || part.type === 'audio')
        return { type: 'data', id, mediaType: part.mimeType, source: { type: 'base64', data: part.data } };
      return { type: 'text', id, text: `[${part.type}]` };
    }),
  };
}

function refusal(why: string): McpError {
  return new McpError(ErrorCode.InvalidRequest, `The model is not asked: ${why}`);
}
