import type { StandardSchemaV1 } from '@standard-schema/spec';
import { z } from 'zod';
import { DefinitionError } from './definition-error.ts';

/** What to write instead of the types that JSON has no word for. */
const remedies: Record<string, string> = {
  bigint: 'use z.string() or z.int()',
  custom: 'use a type of JSON, and check further with .refine()',
  date: 'use z.iso.datetime() or z.iso.date(), and make a Date in execute',
  file: 'use z.string() with a path, an address or base64',
  function: 'leave it out: a model writes data only',
  literal: 'use literals that are strings, finite numbers, booleans or null',
  map: 'use z.record(z.string(), …)',
  nan: 'use z.number()',
  set: 'use z.array(…)',
  symbol: 'use z.string() or z.enum([…])',
  transform: 'put a type before it, as in z.string().transform(…)',
  undefined: 'use .optional()',
  void: 'use .optional()',
};

export function isZodSchema(schema: StandardSchemaV1): schema is z.ZodType {
  return '_zod' in schema;
}

/** The JSON Schema of what the model writes: of a schema with transforms, its input. */
export function zodToJsonSchema(subject: string, schema: z.ZodType): unknown {
  try {
    return z.toJSONSchema(schema, { io: 'input' });
  } catch (cause) {
    const found = findInexpressible(schema);
    const problem =
      found ??
      `zod can't express it as JSON Schema: ${cause instanceof Error ? cause.message : String(cause)}`;
    throw new DefinitionError(subject, 'input', problem, { cause });
  }
}

/** zod's own error names no path: convert once more, node by node, and look which ones it can't. */
function findInexpressible(schema: z.ZodType): string | undefined {
  const found = new Map<string, string>();
  try {
    z.toJSONSchema(schema, {
      io: 'input',
      unrepresentable: 'any',
      override({ zodSchema, path }) {
        const { type } = zodSchema._zod.def;
        const remedy = remedies[type];
        if (remedy === undefined || (type === 'literal' && isExpressible(zodSchema))) return;
        found.set(schemaPath(path), `${typeName(type)} can't be expressed as JSON Schema: ${remedy}`);
      },
    });
  } catch {
    return undefined;
  }
  if (found.size === 0) return undefined;
  return [...found].map(([path, problem]) => (path === '' ? problem : `${path}: ${problem}`)).join('; ');
}

function isExpressible(schema: z.core.$ZodType): boolean {
  try {
    z.toJSONSchema(schema, { io: 'input' });
    return true;
  } catch {
    return false;
  }
}

function typeName(type: string): string {
  return type === 'custom' ? 'z.custom() or z.instanceof()' : `z.${type}()`;
}

/** `['properties', 'lines', 'items', 'properties', 'due']` → `lines[].due` */
function schemaPath(path: readonly (string | number)[]): string {
  let result = '';
  for (let i = 0; i < path.length; i += 1) {
    const segment = path[i];
    if (segment === 'items') result += '[]';
    else if (segment === 'additionalProperties') result += '.*';
    else if (segment === 'properties') {
      i += 1;
      result += `.${path[i]}`;
    }
  }
  return result.replace(/^\./, '');
}
