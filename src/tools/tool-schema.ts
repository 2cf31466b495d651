import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import type { Json } from '../schema/message.ts';
import { DefinitionError } from './definition-error.ts';
import { compileJsonSchema } from './json-schema.ts';
import type { FromJsonSchema, JsonSchema } from './json-schema-type.ts';
import { standardIssue, type Checked } from './schema-issues.ts';
import { isZodSchema, zodToJsonSchema } from './zod-json-schema.ts';

/** What may stand where a tool's input is described: zod 4, any Standard Schema, or a plain JSON Schema. */
export type ToolSchema = StandardSchemaV1 | JsonSchema;

/** What `execute` gets. */
export type SchemaOutput<S> = S extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<S>
  : FromJsonSchema<S>;

/** What the model writes, and presets are of. */
export type SchemaInput<S> = S extends StandardSchemaV1 ? StandardSchemaV1.InferInput<S> : FromJsonSchema<S>;

export interface CompiledSchema {
  /** JSON Schema of type object, without `$schema`. */
  parameters: Record<string, Json>;
  /** Names the schema's own properties. */
  properties: readonly string[];
  check(args: unknown): Checked | Promise<Checked>;
}

/**
 * @param parameters the JSON Schema of a Standard Schema whose library can't make one
 * @throws DefinitionError when the model can't be told what to write
 */
export function compileSchema(subject: string, schema: ToolSchema, parameters?: JsonSchema): CompiledSchema {
  if (isStandardSchema(schema)) {
    const jsonSchema = normalizeJsonSchema(subject, parameters ?? standardToJsonSchema(subject, schema));
    if (parameters !== undefined) compileJsonSchema(subject, 'parameters', jsonSchema);
    return { ...describe(jsonSchema), check: (args) => checkStandard(schema, args) };
  }
  if (parameters !== undefined) {
    throw new DefinitionError(subject, 'parameters', 'input is a JSON Schema already: leave parameters out.');
  }
  const jsonSchema = normalizeJsonSchema(subject, schema);
  return { ...describe(jsonSchema), check: compileJsonSchema(subject, 'input', jsonSchema) };
}

/** Schemas of some libraries are functions. */
function isStandardSchema(schema: ToolSchema): schema is StandardSchemaV1 {
  return '~standard' in schema;
}

function standardToJsonSchema(subject: string, schema: StandardSchemaV1): unknown {
  if (isZodSchema(schema)) return zodToJsonSchema(subject, schema);
  const standard = schema['~standard'];
  if (!offersJsonSchema(standard)) {
    throw new DefinitionError(
      subject,
      'input',
      `${standard.vendor} schemas don't say what they are as JSON Schema: add it as parameters: { type: 'object', properties: … }.`,
    );
  }
  try {
    return standard.jsonSchema.input({ target: 'draft-2020-12' });
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw new DefinitionError(
      subject,
      'input',
      `${standard.vendor} can't express it as JSON Schema (${problem}): use simpler types, or add parameters: { type: 'object', properties: … }.`,
      { cause },
    );
  }
}

function offersJsonSchema(
  standard: StandardSchemaV1['~standard'],
): standard is StandardSchemaV1['~standard'] & StandardJSONSchemaV1['~standard'] {
  return 'jsonSchema' in standard && typeof standard.jsonSchema === 'object' && standard.jsonSchema !== null;
}

/** Synchronous where the library is. */
function checkStandard(schema: StandardSchemaV1, args: unknown): Checked | Promise<Checked> {
  const toChecked = (result: StandardSchemaV1.Result<unknown>): Checked =>
    result.issues === undefined
      ? { ok: true, value: result.value }
      : { ok: false, issues: result.issues.map((issue) => standardIssue(issue, args)) };
  const result = schema['~standard'].validate(args);
  return result instanceof Promise ? result.then(toChecked) : toChecked(result);
}

/** A copy of its own: what the user changes later changes no tool. `$schema` goes, because endpoints differ in what they take. */
function normalizeJsonSchema(subject: string, schema: unknown): Record<string, Json> {
  const { $schema: _, ...copy } = copyOf(subject, schema);
  if (copy['type'] === 'object') return copy;
  const found = 'type' in copy ? `type ${JSON.stringify(copy['type'])}` : (Object.keys(copy)[0] ?? 'nothing');
  throw new DefinitionError(
    subject,
    'input',
    `it must describe an object, and its top level is ${found}: wrap it, as in z.object({ value: … }) or { type: 'object', properties: { value: … } }.`,
  );
}

function describe(parameters: Record<string, Json>): Pick<CompiledSchema, 'parameters' | 'properties'> {
  return { parameters, properties: Object.keys(parameters['properties'] ?? {}) };
}

function copyOf(subject: string, schema: unknown): Record<string, Json> {
  try {
    return JSON.parse(JSON.stringify(schema)) as Record<string, Json>;
  } catch (cause) {
    throw new DefinitionError(
      subject,
      'input',
      'it is no JSON: a schema that contains itself says so by $ref.',
      { cause },
    );
  }
}
