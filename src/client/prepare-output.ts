import { createHash } from 'node:crypto';
import type { OutputRef } from '../contracts/inputs.ts';
import type { SessionRef } from '../contracts/ids.ts';
import type { Store } from '../store/store.ts';
import type { CompiledSchema, ToolSchema } from '../tools/tool-schema.ts';
import { compileOutput } from './compile-output.ts';

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
  const compiled = compileOutput(schema);
  const text = JSON.stringify(compiled.parameters);
  const id = `output-${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
  await store.blobs.put(ref, id, [{ type: 'text', text }]);
  return { output: { ref: id }, check: (answer) => compiled.check(answer) };
}
