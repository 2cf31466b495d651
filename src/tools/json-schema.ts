import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Json } from '../schema/message.ts';
import { DefinitionError } from './definition-error.ts';
import { ajvIssue, type Checked } from './schema-issues.ts';

/**
 * The check of a plain JSON Schema, read as 2020-12. Formats and unknown keywords are notes for the model, not rules; defaults are not filled in.
 * `ownProperties`, because `{}.toString` must not count as an argument.
 */
export function compileJsonSchema(
  subject: string,
  field: string,
  schema: Record<string, Json>,
): (args: unknown) => Checked {
  // An instance a schema: ajv refuses a second schema of the same `$id`.
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true, ownProperties: true });
  try {
    const isValid = ajv.compile(schema);
    return (args) =>
      isValid(args) ? { ok: true, value: args } : { ok: false, issues: (isValid.errors ?? []).map(ajvIssue) };
  } catch (cause) {
    // ajv repeats itself for each alternative of its own schema.
    const message = cause instanceof Error ? cause.message : String(cause);
    const problem = [...new Set(message.split(', '))].join(', ');
    throw new DefinitionError(subject, field, `it is no valid JSON Schema 2020-12: ${problem}`, { cause });
  }
}
