import { ApplicationFailure } from '@temporalio/activity';
import { createHash } from 'node:crypto';
import type { OpenChildInput, ReplyPart, TurnContent } from '../contracts/child-turns.ts';
import type { FlowActivities } from '../contracts/flow.ts';
import { failure } from '../contracts/failures.ts';
import type { SessionRef } from '../contracts/ids.ts';
import { inlineInputBytes, type OutputRef, type SubmittedInput } from '../contracts/inputs.ts';
import { hintText } from '../core/hint-text.ts';
import { maxItems } from '../schema/flow.ts';
import type { Block, InputPart, Json } from '../schema/message.ts';
import type { Store } from '../store/store.ts';

/** Of one input as JSON, answers of other turns included. */
const maxInputBytes = 4 * 1024 * 1024;

/** Of the items of a fan-out as JSON: they are carried by its workflow. */
const maxItemsBytes = 500_000;

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
  return merged(parts);
}

/** Texts that follow each other are one. */
function merged(parts: readonly InputPart[]): InputPart[] {
  const joined: InputPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.type === 'text' && last?.type === 'text')
      joined[joined.length - 1] = { type: 'text', text: last.text + part.text };
    else joined.push(part);
  }
  return joined;
}

/** The parts of an answer. Only the owner's own sessions can be named. */
async function readAnswer(
  store: Store,
  owner: string,
  { sessionId, messageId, from }: ReplyPart,
): Promise<InputPart[]> {
  const message = await store.messages.get({ owner, sessionId }, messageId);
  if (!message) throw rejected(`there is no message ${messageId} in session ${sessionId}`);
  const parts = answerParts(message.content);
  if (from === undefined) return parts;
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const said = hintText({ source: 'team', from: { name: from }, text });
  return [{ type: 'text', text: `${said}\n` }, ...parts.filter(({ type }) => type !== 'text')];
}

/**
 * The items that a text has: its lines that are not blank, or the JSON array of texts in it.
 *
 * @throws ApplicationFailure `Rejected` (final) when there are none, or too many.
 */
export async function listItems(
  store: Store,
  { owner, id, content, from }: Parameters<FlowActivities['listItems']>[0],
): Promise<string[]> {
  const parts = await resolve(store, { owner, sessionId: id }, content);
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const items = from === 'lines' ? linesOf(text) : jsonOf(text);
  if (items.length === 0) throw rejected('there are no items to fan out over');
  const bytes = Buffer.byteLength(JSON.stringify(items));
  if (items.length > maxItems || bytes > maxItemsBytes)
    throw rejected(
      `there are ${items.length} items of ${bytes} bytes, above the limits of ${maxItems} items and ${maxItemsBytes} bytes`,
    );
  return items;
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Models put prose and fences around it. */
function jsonOf(text: string): string[] {
  const array = text.slice(text.indexOf('['), text.lastIndexOf(']') + 1);
  try {
    const items: unknown = JSON.parse(array);
    if (Array.isArray(items))
      return items.map((item: unknown) => (typeof item === 'string' ? item : JSON.stringify(item)));
  } catch {
    // Told below.
  }
  throw rejected(`expected a JSON array of texts, and got: ${text.slice(0, 200)}`);
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
