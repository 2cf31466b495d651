import { z } from 'zod';
import type { ExternalResult } from '../../contracts/inputs.ts';
import { Id } from '../../schema/api-requests.ts';
import type { InputPart } from '../../schema/message.ts';
import { Problem } from '../problem.ts';

const id = z.string().min(1, 'write an id').max(200, 'write at most 200 characters');
const part = z.looseObject({ type: z.string() });
const message = z.looseObject({
  id,
  role: z.enum(['developer', 'system', 'assistant', 'user', 'tool', 'activity', 'reasoning']),
  content: z.unknown().optional(),
  toolCallId: z.string().nullish(),
  error: z.string().nullish(),
});
const resumeEntry = z.looseObject({
  interruptId: id,
  status: z.enum(['resolved', 'cancelled']),
  payload: z.unknown().optional(),
});

/** AG-UI 1.0's RunAgentInput: the whole conversation as the client has it, of which only its end may be news. */
export const AgUiRequest = z.looseObject({
  threadId: Id,
  runId: id,
  messages: z.array(message),
  tools: z.array(z.looseObject({ name: z.string() })).nullish(),
  state: z.unknown().optional(),
  resume: z.array(resumeEntry).nullish(),
});
export type AgUiRequest = z.output<typeof AgUiRequest>;
export type ResumeEntry = z.output<typeof resumeEntry>;
type AgUiRequestMessage = z.output<typeof message>;

/** What the user said last. @throws Problem `invalid_input` for content that no agent can read. */
export function readInput({ messages }: AgUiRequest): { id: string; input: InputPart[] } | undefined {
  const last = messages.at(-1);
  return last?.role === 'user' ? { id: last.id, input: partsOf(last) } : undefined;
}

/** Results of tools that the page runs, of those calls that still wait for one. */
export function readResults({ messages }: AgUiRequest, waiting: ReadonlySet<string>): ExternalResult[] {
  return messages.flatMap((message): ExternalResult[] => {
    const { role, toolCallId: callId, error } = message;
    if (role !== 'tool' || typeof callId !== 'string' || !waiting.has(callId)) return [];
    if (typeof error === 'string') return [{ callId, state: 'error', content: error }];
    return [{ callId, state: 'success', content: contentOf(message) }];
  });
}

function contentOf(message: AgUiRequestMessage): string | InputPart[] {
  return typeof message.content === 'string' ? message.content : partsOf(message);
}

function partsOf(given: AgUiRequestMessage): InputPart[] {
  if (typeof given.content === 'string') return [{ type: 'text', text: given.content }];
  const parts = z.array(part).safeParse(given.content);
  if (!parts.success)
    throw new Problem('invalid_input', `The content of message ${given.id} must be text or parts`);
  return parts.data.map((one) => inputPart(given.id, one));
}

const media = z.looseObject({
  type: z.enum(['image', 'audio', 'video', 'document']),
  source: z.looseObject({ type: z.enum(['data', 'url']), value: z.string(), mimeType: z.string() }),
  metadata: z.looseObject({ name: z.string().optional() }).nullish().catch(undefined),
});

function inputPart(messageId: string, given: z.output<typeof part>): InputPart {
  if (given.type === 'text' && typeof given['text'] === 'string')
    return { type: 'text', text: given['text'] };
  const parsed = media.safeParse(given);
  if (!parsed.success)
    throw new Problem(
      'invalid_input',
      `Message ${messageId} has a part that can't be read: send text, or an image, audio, video or document whose source is data or a URL, with its mimeType`,
    );
  const { source, metadata } = parsed.data;
  return {
    type: 'data',
    mediaType: source.mimeType,
    source:
      source.type === 'url' ? { type: 'url', url: source.value } : { type: 'base64', data: source.value },
    ...(metadata?.name === undefined ? {} : { name: metadata.name }),
  };
}
