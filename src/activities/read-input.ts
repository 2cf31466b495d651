import { ApplicationFailure } from '@temporalio/activity';
import { failure } from '../contracts/failures.ts';
import type { SessionRef } from '../contracts/ids.ts';
import type { InboxMessage } from '../contracts/inbox.ts';
import { isMessage, type SubmittedInput } from '../contracts/inputs.ts';
import { InputPart, type Block, type HintBlock } from '../schema/message.ts';
import type { Store } from '../store/store.ts';

/**
 * The blocks of a user message, whichever way its input came. Signals may be written by hand, so it is validated here as well.
 *
 * @throws ApplicationFailure `Rejected` (final) when it is no valid input, `InputNotFound` (final) when its reference leads nowhere.
 */
export async function readInput(store: Store, ref: SessionRef, input: SubmittedInput): Promise<Block[]> {
  if (isMessage(input)) return [await readMessage(store, ref, input.message)];
  const parts = InputPart.array()
    .min(1)
    .safeParse(await partsOf(store, ref, input));
  if (!parts.success)
    throw ApplicationFailure.nonRetryable(
      `The input must be a text, or a list of parts: ${parts.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ')}`,
      failure.rejected,
    );
  return parts.data.map((part, i) => ({ ...part, id: `b${i}` }));
}

/** The same for an input that must not fail its turn: what can't be read becomes a hint that says so. */
export async function readInputOrHint(
  store: Store,
  ref: SessionRef,
  input: SubmittedInput,
): Promise<Block[]> {
  try {
    return await readInput(store, ref, input);
  } catch (error) {
    if (!(error instanceof ApplicationFailure)) throw error;
    return [{ type: 'hint', id: 'b0', text: `A message of the user could not be read: ${error.message}` }];
  }
}

async function readMessage(
  store: Store,
  ref: SessionRef,
  { kind, from, text }: InboxMessage,
): Promise<HintBlock> {
  const written = typeof text === 'string' ? text : textOf(await partsOf(store, ref, text));
  return { type: 'hint', id: 'b0', text: written, source: kind, from };
}

function textOf(parts: unknown): string {
  const read = InputPart.array().safeParse(parts);
  return (read.data ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

async function partsOf(
  store: Store,
  ref: SessionRef,
  input: Exclude<SubmittedInput, { message: InboxMessage }>,
): Promise<unknown> {
  if (typeof input === 'string') return [{ type: 'text', text: input }];
  if (Array.isArray(input) || typeof input?.ref !== 'string') return input;
  const parts = await store.blobs.get(ref, input.ref);
  if (!parts)
    throw ApplicationFailure.nonRetryable(
      `Input ${input.ref} is not in the store: write it with the client, which does so by itself for large inputs`,
      failure.inputNotFound,
    );
  return parts;
}
