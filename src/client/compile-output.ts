import { DefinitionError } from '../tools/definition-error.ts';
import { compileSchema, type CompiledSchema, type ToolSchema } from '../tools/tool-schema.ts';
import { DurascopeError } from './durascope-error.ts';

/** The form that an answer must have. @throws DurascopeError `invalid_input`. */
export function compileOutput(schema: ToolSchema): CompiledSchema {
  try {
    return compileSchema('output', schema);
  } catch (error) {
    if (error instanceof DefinitionError)
      throw new DurascopeError('invalid_input', error.message, { cause: error });
    throw error;
  }
}
