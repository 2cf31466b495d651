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
  const unknown = unknownKeys(issue);
  if (unknown) return { path, text: unknown };
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
      return { path: [...path, key], text: notKnown(path, [key]) };
    }
    case 'enum':
      return { path, text: `${pathName(path)} must be one of ${JSON.stringify(params['allowedValues'])}` };
    case 'const':
      return { path, text: `${pathName(path)} must be ${JSON.stringify(params['allowedValue'])}` };
    default:
      return { path, text: `${pathName(path)} ${message ?? `breaks the rule "${keyword}"`}` };
  }
}

/** Zod quotes the keys that a strict object does not know, whatever is in them. */
function unknownKeys(issue: StandardSchemaV1.Issue): string | undefined {
  if (!('code' in issue) || issue.code !== 'unrecognized_keys') return undefined;
  const keys = 'keys' in issue && Array.isArray(issue.keys) ? issue.keys.map(String) : [];
  return notKnown(keysOf(issue), keys);
}

/** A model may have put a value, and a secret one, where a name belongs: only what looks like a name is repeated. */
function notKnown(path: readonly PropertyKey[], keys: readonly string[]): string {
  const shown = keys.filter((key) => /^[A-Za-z_][\w-]{0,31}$/.test(key));
  const names = shown.map((key) => pathName([...path, key]));
  const hidden = keys.length - shown.length;
  const where = path.length === 0 ? '' : ` of ${pathName(path)}`;
  if (hidden > 0)
    names.push(`${hidden === 1 ? 'a key' : `${hidden} keys`}${where} whose name is not repeated here`);
  return names.length === 1 && hidden < 2
    ? `${names[0]} is not known: leave it out`
    : `${names.join(', ')} are not known: leave them out`;
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
    .map((branch) =>
      branch.map((inner) => unknownKeys(inner) ?? `${pathName(keysOf(inner))}: ${inner.message}`).join(', '),
    );
  return branches.length === 0 ? '' : `, neither ${branches.join(' nor ')}`;
}
