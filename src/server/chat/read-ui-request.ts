import { z } from 'zod';
import type { Confirmation, ExternalResult } from '../../contracts/inputs.ts';
import { readGateId } from '../../core/asked-in-call.ts';
import type { InputPart } from '../../schema/message.ts';
import { Problem } from '../problem.ts';

const part = z.looseObject({ type: z.string() });

/** What `useChat` posts: the whole conversation as the page has it, of which only the last message is news. */
export const UiChatRequest = z.looseObject({
  id: z.string(),
  messages: z
    .array(
      z.looseObject({ id: z.string(), role: z.enum(['user', 'assistant', 'system']), parts: z.array(part) }),
    )
    .min(1),
  trigger: z.string().exactOptional(),
});
export type UiChatRequest = z.output<typeof UiChatRequest>;

export type UiNews =
  | { kind: 'input'; id: string; input: InputPart[] }
  | { kind: 'answers'; confirmations: Confirmation[]; results: ExternalResult[] };

const approved = z.looseObject({
  toolCallId: z.string(),
  approval: z.looseObject({
    id: z.string().optional(),
    approved: z.boolean(),
    reason: z.string().optional(),
  }),
});
const output = z.looseObject({
  toolCallId: z.string(),
  state: z.enum(['output-available', 'output-error']),
  output: z.unknown(),
  errorText: z.string().optional(),
});

/** What the page's last message asks for. @throws Problem `invalid_input` */
export function readUiRequest({ messages, trigger }: UiChatRequest): UiNews {
  if (trigger === 'regenerate-message')
    throw new Problem('invalid_input', 'A turn that ended is not run again: send a new message');
  const last = messages.at(-1);
  if (last?.role === 'user') return { kind: 'input', id: last.id, input: last.parts.flatMap(inputPart) };
  if (last?.role === 'assistant')
    return {
      kind: 'answers',
      confirmations: last.parts.flatMap(confirmation),
      results: last.parts.flatMap(externalResult),
    };
  throw new Problem('invalid_input', 'The last message must be of the user, or hold answers to calls');
}

function inputPart(given: z.output<typeof part>): InputPart[] {
  const { text, url, mediaType, filename } = texts(given);
  if (given.type === 'text') return [{ type: 'text', text }];
  if (given.type !== 'file') return [];
  const data = /^data:[^,]*;base64,(.*)$/s.exec(url)?.[1];
  return [
    {
      type: 'data',
      mediaType,
      source: data === undefined ? { type: 'url', url } : { type: 'base64', data },
      ...(filename === '' ? {} : { name: filename }),
    },
  ];
}

/** Fields of a part that are texts; what is missing, or none, is empty. */
function texts(given: z.output<typeof part>) {
  const textOf = (key: string) => (typeof given[key] === 'string' ? given[key] : '');
  return {
    text: textOf('text'),
    url: textOf('url'),
    mediaType: textOf('mediaType'),
    filename: textOf('filename'),
  };
}

function confirmation(given: z.output<typeof part>): Confirmation[] {
  if (given['state'] !== 'approval-responded') return [];
  const { success, data } = approved.safeParse(given);
  if (!success) return [];
  const { toolCallId: callId, approval } = data;
  const { questionId } = readGateId(approval.id ?? '');
  return [
    {
      callId,
      decision: approval.approved ? 'allow' : 'deny',
      ...(approval.reason === undefined ? {} : { reason: approval.reason }),
      ...(questionId === undefined ? {} : { questionId }),
    },
  ];
}

/** Results of tools that the page runs; those of other calls are on the page as well, and are no news. */
function externalResult(given: z.output<typeof part>): ExternalResult[] {
  const { success, data } = output.safeParse(given);
  if (!success) return [];
  const isError = data.state === 'output-error';
  const content = isError ? (data.errorText ?? 'It failed') : data.output;
  return [
    {
      callId: data.toolCallId,
      state: isError ? 'error' : 'success',
      content: typeof content === 'string' ? content : JSON.stringify(content ?? null),
    },
  ];
}
