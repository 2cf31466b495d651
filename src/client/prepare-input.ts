import type { SessionRef } from '../contracts/ids.ts';
import { inlineInputBytes, type SubmittedInput } from '../contracts/inputs.ts';
import { InputPart } from '../schema/message.ts';
import type { Store } from '../store/store.ts';
import type { Input } from './client.ts';
import { DurascopeError } from './durascope-error.ts';

/** Of one input as JSON. More is a file, and belongs where files are kept. */
const maxInputBytes = 4 * 1024 * 1024;

/**
 * Makes an input fit to travel: a large one is written to the store, and travels by reference.
 *
 * @throws DurascopeError `invalid_input`, naming the field and the remedy.
 */
export async function prepareInput(
  store: Store,
  ref: SessionRef,
  id: string,
  input: Input,
): Promise<SubmittedInput> {
  const parts = InputPart.array().safeParse(
    typeof input === 'string' ? [{ type: 'text', text: input }] : input,
  );
  if (!parts.success) {
    const issues = parts.error.issues.map(({ path, message }) => `input${pathOf(path)}: ${message}`);
    throw new DurascopeError(
      'invalid_input',
      `The input is neither a text nor a list of parts: ${issues.join('; ')}`,
    );
  }
  if (!parts.data.some((part) => part.type !== 'text' || part.text.trim() !== ''))
    throw new DurascopeError('invalid_input', 'input is empty: give it some text, or a data part');

  const bytes = Buffer.byteLength(JSON.stringify(parts.data));
  if (bytes > maxInputBytes)
    throw new DurascopeError(
      'invalid_input',
      `input has ${bytes} bytes, above the limit of ${maxInputBytes}: put large content where a tool can read it, and pass its address`,
    );
  if (bytes <= inlineInputBytes) return typeof input === 'string' ? input : parts.data;
  await store.blobs.put(ref, id, parts.data);
  return { ref: id };
}

function pathOf(path: readonly PropertyKey[]): string {
  return path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
}
