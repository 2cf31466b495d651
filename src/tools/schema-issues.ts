import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { ErrorObject } from 'ajv/dist/2020.js';

/** What is wrong with arguments, in a sentence for a model. */
export interface SchemaIssue {
  path: readonly PropertyKey[];
  text: string;
}

export type Checked = { ok: true; value: unknown } | { ok: false; issues: SchemaIssue[] };

const maxIssues = 20;

/** The sentences, each once, and not more than a model would read. */
export function issueTexts(issues: readonly SchemaIssue[]): string[] {
  const texts = [...new Set(issues.map(({ text }) => text))];
  if (texts.length <= maxIssues) return texts;
  return [...texts.slice(0, maxIssues), `and ${texts.length - maxIssues} more`];
}

export function standardIssue(issue: StandardSchemaV1.Issue, args: unknown): SchemaIssue {
  const path = keysOf(issue);
  const name = pathName(path);
  const isMissing = path.length > 0 && valueAt(args, path) === undefined;
  const text = isMissing
    ? `${name} is missing (${issue.message})`
    : `${name}: ${issue.message}${alternatives(issue)}`;
  return { path, text };
}

export function ajvIssue({ keyword, instancePath, params, message }: ErrorObject): SchemaIssue {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  switch (keyword) {
    case 'required': {
      const missing = [...path, String(params['missingProperty'])];
      return { path: missing, text: `${pathName(missing)} is missing` };
    }
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const key = String(params['additionalProperty'] ?? params['unevaluatedProperty']);
      return { path: [...path, key], text: `${pathName([...path, key])} is not known: leave it out` };
    }
    case 'enum':
      return { path, text: `${pathName(path)} must be one of ${JSON.stringify(params['allowedValues'])}` };
    case 'const':
      return { path, text: `${pathName(path)} must be ${JSON.stringify(params['allowedValue'])}` };
    default:
      return { path, text: `${pathName(path)} ${message ?? `breaks the rule "${keyword}"`}` };
  }
}

function keysOf(issue: StandardSchemaV1.Issue): PropertyKey[] {
  return (issue.path ?? []).map((segment) => (typeof segment === 'object' ? segment.key : segment));
}

/** `['lines', 0, 'sku']` → `lines[0].sku` */
export function pathName(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'the arguments';
  return path
    .map((key) => (/^\d+$/.test(String(key)) ? `[${String(key)}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '');
}

function valueAt(args: unknown, path: readonly PropertyKey[]): unknown {
  let value = args;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

/** A union of zod says only "Invalid input" and keeps what each alternative misses in `errors`. */
function alternatives(issue: StandardSchemaV1.Issue): string {
  if (!('errors' in issue) || !Array.isArray(issue.errors)) return '';
  const branches = (issue.errors as StandardSchemaV1.Issue[][])
    .slice(0, 5)
    .map((branch) => branch.map((inner) => `${pathName(keysOf(inner))}: ${inner.message}`).join(', '));
  return branches.length === 0 ? '' : `, neither ${branches.join(' nor ')}`;
}
