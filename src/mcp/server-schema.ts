import { createContext, Script, type Context } from 'node:vm';
import type { Tool as RemoteTool } from '@modelcontextprotocol/sdk/types.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Json } from '../schema/message.ts';
import { ajvIssue, type Checked } from '../tools/schema-issues.ts';

/** Of one tool's schemas as JSON, in characters. */
const largestSchema = 256 * 1024;
const deepestSchema = 64;
/** For compiling, and for one check. */
const limitMs = 1_000;
/** Characters of a schema times those of a value: below it a check that comes to no part of either twice is over in some milliseconds. */
const smallWork = 4_000_000;

/** Why a tool is left out for the size of its schemas. */
export function schemaFault({ inputSchema, outputSchema }: RemoteTool): string | undefined {
  const schemas = [inputSchema, outputSchema];
  if (isDeeperThan(deepestSchema, schemas)) return `its schema is nested deeper than ${deepestSchema} levels`;
  return JSON.stringify(schemas).length > largestSchema
    ? `its schema is larger than ${largestSchema / 1024} KB`
    : undefined;
}

/**
 * The check of a schema that a server sent, which must not be able to stop the worker. So its regular expressions are not run: they are
 * notes for the model. A schema that can't be read, or takes too long, is left to the server, which checks its arguments in any case.
 */
export function serverSchemaCheck(schema: Record<string, Json>): (value: unknown) => Checked {
  let compiled: CompiledSchema | undefined;
  return (value) => {
    try {
      // The watch over a check is a thread of its own, which takes longer to start than a call takes.
      return compiled && compiled.weight * sizeOf(value) <= smallWork
        ? compiled.check(value)
        : withinLimit(() => (compiled ??= compile(schema)).check(value));
    } catch {
      compiled = { check: (unchecked) => ({ ok: true, value: unchecked }), weight: 0 };
      return compiled.check(value);
    }
  };
}

interface CompiledSchema {
  check(value: unknown): Checked;
  /** In characters; infinite where a check may come back to a part of schema or value as often as the schema likes. */
  weight: number;
}

const comesBack = /"(\$ref|\$dynamicRef|\$recursiveRef|uniqueItems)"/;

function compile(schema: Record<string, Json>): CompiledSchema {
  const anyText = Object.assign(() => ({ test: () => true }), { code: '' });
  const ajv = new Ajv2020({
    strict: false,
    validateFormats: false,
    allErrors: true,
    ownProperties: true,
    logger: false,
    code: { regExp: anyText },
  });
  ajv.removeKeyword('pattern');
  // Its schemas can't be told which keys they are for. `additionalProperties` beside it takes all, through the engine above.
  ajv.removeKeyword('patternProperties');
  const text = JSON.stringify(schema);
  if (text.includes('"patternProperties"')) ajv.removeKeyword('unevaluatedProperties');
  const isValid = ajv.compile(schema);
  return {
    check: (value) =>
      isValid(value) ? { ok: true, value } : { ok: false, issues: (isValid.errors ?? []).map(ajvIssue) },
    weight: comesBack.test(text) ? Number.POSITIVE_INFINITY : text.length,
  };
}

function sizeOf(value: unknown): number {
  try {
    return JSON.stringify(value)?.length ?? 0;
  } catch {
    // Nested too deep to be written.
    return Number.POSITIVE_INFINITY;
  }
}

let sandbox: Context | undefined;
const run = new Script('run()');

/** Ends work that does not yield, such as references that double at each level. @throws when the limit is over. */
function withinLimit<T>(work: () => T): T {
  sandbox ??= createContext({});
  sandbox['run'] = work;
  try {
    return run.runInContext(sandbox, { timeout: limitMs }) as T;
  } finally {
    sandbox['run'] = undefined;
  }
}

/** Level by level: a recursion would end at what it looks for. */
function isDeeperThan(limit: number, value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > limit) return true;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
  return false;
}
