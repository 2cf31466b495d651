import { createHash } from 'node:crypto';
import type { OutputRef } from '../contracts/inputs.ts';
import type { SessionRef } from '../contracts/ids.ts';
import type { Store } from '../store/store.ts';
import { DefinitionError } from '../tools/definition-error.ts';
import { compileSchema, type CompiledSchema, type ToolSchema } from '../tools/tool-schema.ts';
import { DurascopeError } from './durascope-error.ts';

export interface PreparedOutput {
  output: OutputRef;
  check: CompiledSchema['check'];
}

/** Writes the form of the wanted answer to the store, where the model call finds it. @throws DurascopeError `invalid_input`. */
export async function prepareOutput(
  store: Store,
  ref: SessionRef,
  schema: ToolSchema,
): Promise<PreparedOutput> {
  const compiled = compile(schema);
  const text = JSON.stringify(compiled.parameters);
  const id = `output-${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
  await store.blobs.put(ref, id, [{ type: 'text', text }]);
  return { output: { ref: id }, check: (answer) => compiled.check(answer) };
}

function compile(schema: ToolSchema): CompiledSchema {
  try {
    return compileSchema('output', schema);
  } catch (error) {
    if (error instanceof DefinitionError)
      throw new DurascopeError('invalid_input', error.message, { cause: error });
    throw error;
  }
}
