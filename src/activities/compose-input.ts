import { ApplicationFailure } from '@temporalio/activity';
import { createHash } from 'node:crypto';
import type { OpenChildInput, ReplyPart, TurnContent } from '../contracts/child-turns.ts';
import { failure } from '../contracts/failures.ts';
import type { SessionRef } from '../contracts/ids.ts';
import { inlineInputBytes, type OutputRef, type SubmittedInput } from '../contracts/inputs.ts';
import type { Block, InputPart, Json } from '../schema/message.ts';
import type { Store } from '../store/store.ts';

/** Of one input as JSON, answers of other turns included. */
const maxInputBytes = 4 * 1024 * 1024;

/** Messages that are read at once. */
const readAtOnce = 20;

/**
 * Makes an input of its parts: answers of other turns are read, and what is large is written to the session's blobs.
 *
 * @throws ApplicationFailure `Rejected` (final) when it is empty or too large, or names an answer that is not in the store.
 */
export async function composeInput(
  store: Store,
  { ref, inputId, content }: Pick<OpenChildInput, 'ref' | 'inputId' | 'content'>,
): Promise<SubmittedInput> {
  const parts = await resolve(store, ref, content);
  if (!parts.some((part) => part.type !== 'text' || part.text.trim() !== ''))
    throw rejected('the input is empty: give the turn some text');
  const bytes = Buffer.byteLength(JSON.stringify(parts));
  if (bytes > maxInputBytes)
    throw rejected(
      `the input has ${bytes} bytes with the answers that it is made of, above the limit of ${maxInputBytes}: have smaller groups summed up first`,
    );
  if (bytes <= inlineInputBytes) return parts;
  await store.blobs.put(ref, inputId, parts);
  return { ref: inputId };
}

/** Keeps the JSON Schema of an answer where the model call finds it. */
export async function keepOutput(
  store: Store,
  ref: SessionRef,
  schema: Record<string, Json>,
): Promise<OutputRef> {
  const text = JSON.stringify(schema);
  const id = `output-${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
  await store.blobs.put(ref, id, [{ type: 'text', text }]);
  return { ref: id };
}

async function resolve(store: Store, ref: SessionRef, content: TurnContent): Promise<InputPart[]> {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  const parts: InputPart[] = [];
  for (let i = 0; i < content.length; i += readAtOnce) {
    const some = content.slice(i, i + readAtOnce);
    const read = await Promise.all(
      some.map(async (part) => (part.type === 'reply' ? readAnswer(store, ref.owner, part) : [part])),
    );
    parts.push(...read.flat());
  }
  return parts;
}

/** The parts of an answer. Only the owner's own sessions can be named. */
async function readAnswer(
  store: Store,
  owner: string,
  { sessionId, messageId }: ReplyPart,
): Promise<InputPart[]> {
  const message = await store.messages.get({ owner, sessionId }, messageId);
  if (!message) throw rejected(`there is no message ${messageId} in session ${sessionId}`);
  return answerParts(message.content);
}

export function answerParts(content: readonly Block[]): InputPart[] {
  return content.flatMap((block): InputPart[] => {
    if (block.type === 'text') return [{ type: 'text', text: block.text }];
    if (block.type === 'tool_result') return answerParts(block.content);
    if (block.type !== 'data') return [];
    const { type, mediaType, source, name } = block;
    return [{ type, mediaType, source, ...(name === undefined ? {} : { name }) }];
  });
}

function rejected(why: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(why, failure.rejected);
}
