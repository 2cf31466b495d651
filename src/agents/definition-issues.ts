import { z } from 'zod';
import { DefinitionError } from '../tools/definition-error.ts';
import { didYouMean } from '../tools/nearest-names.ts';
import { pathName } from '../tools/schema-issues.ts';

/**
 * Parses the plain part of a definition.
 *
 * @param extraKeys known keys that are checked elsewhere; they are left out of what is parsed
 * @throws DefinitionError that tells of all faults, its field being the first one's
 */
export function parseDefinition<Schema extends z.ZodObject>(
  subject: string,
  schema: Schema,
  definition: object,
  extraKeys: readonly string[],
): z.output<Schema> {
  // A key set to undefined is one that was left out: `apiKey: process.env['KEY']` must not fail where the variable is unset.
  const plain = withoutUndefined(
    Object.fromEntries(Object.entries(definition).filter(([key]) => !extraKeys.includes(key))),
  );
  const result = schema.safeParse(plain);
  if (result.success) return result.data;
  const problems = result.error.issues.flatMap((issue) => problemsOf(issue, schema, extraKeys));
  const [first, ...others] = problems;
  throw new DefinitionError(
    subject,
    first?.field ?? 'definition',
    [first?.problem ?? 'it is not valid', ...others.map(({ field, problem }) => `${field}: ${problem}`)].join(
      '\n',
    ),
  );
}

interface Problem {
  field: string;
  problem: string;
}

function problemsOf(issue: z.core.$ZodIssue, schema: z.ZodObject, extraKeys: readonly string[]): Problem[] {
  if (issue.code === 'invalid_key') {
    return [{ field: pathName(issue.path), problem: `${issue.issues[0]?.message ?? issue.message}.` }];
  }
  if (issue.code !== 'unrecognized_keys')
    return [{ field: pathName(issue.path), problem: `${issue.message}.` }];
  const known = [...keysAt(schema, issue.path), ...(issue.path.length === 0 ? extraKeys : [])];
  return issue.keys.map((key) => ({
    field: pathName([...issue.path, key]),
    problem: `there is no such option.${didYouMean(key, known)} The options are: ${known.join(', ')}.`,
  }));
}

/** The keys that the schema knows at a path of the value. */
function keysAt(schema: unknown, path: readonly PropertyKey[]): string[] {
  let node = unwrap(schema);
  for (const key of path) {
    if (node instanceof z.ZodObject) node = unwrap(node.shape[String(key)]);
    else if (node instanceof z.ZodRecord) node = unwrap(node.valueType);
  }
  return node instanceof z.ZodObject ? Object.keys(node.shape) : [];
}

function unwrap(schema: unknown): unknown {
  if (
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodExactOptional
  ) {
    return unwrap(schema.unwrap());
  }
  return schema;
}

function withoutUndefined(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .map(([key, inner]) => [key, withoutUndefined(inner)]),
  );
}
