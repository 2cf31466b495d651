import { ApprovalPolicy, GateDeadline } from '../schema/agent.ts';
import { DefinitionError } from './definition-error.ts';
import { didYouMean } from './nearest-names.ts';
import { isBehavior } from './permission-check.ts';
import { pathName } from './schema-issues.ts';
import type { CompiledSchema } from './tool-schema.ts';

export const defaultTimeoutMs = 5 * 60 * 1000;

/** What a timer of Node can wait at most. */
export const maxTimeoutMs = 2_147_483_647;

export const toolNamePattern = /^[a-zA-Z0-9_-]{1,64}$/;

const known = [
  'name',
  'description',
  'input',
  'parameters',
  'permission',
  'readOnly',
  'concurrencySafe',
  'idempotent',
  'external',
  'returnDirect',
  'timeout',
  'backgroundAfterMs',
  'retry',
  'preset',
  'execute',
  'matchRule',
  'boundBy',
  'coversTogether',
  'opaque',
  'suggestRules',
  'editTargets',
  'secrets',
  'approval',
  'deadline',
] as const;

type Options = Partial<Record<(typeof known)[number], unknown>>;

/** Checks all but the schema, for callers whose types were not checked either. Returns the words for the tool in further errors. */
export function checkToolOptions(options: Options): string {
  if (typeof options !== 'object' || options === null) {
    throw new DefinitionError(
      'tool',
      'options',
      'expected an object such as { name, description, input, execute }.',
    );
  }
  const subject = checkName(options.name);
  const fail = (field: string, problem: string): never => {
    throw new DefinitionError(subject, field, problem);
  };

  const unknown = Object.keys(options).find((key) => !known.some((name) => name === key));
  if (unknown !== undefined)
    fail(
      unknown,
      `there is no such option.${didYouMean(unknown, known)} The options are: ${known.join(', ')}.`,
    );
  if (typeof options.description !== 'string' || options.description.trim() === '') {
    fail('description', 'it is missing: tell the model in a sentence what the tool does and when to use it.');
  }
  if ((typeof options.input !== 'object' && typeof options.input !== 'function') || options.input === null) {
    fail(
      'input',
      'it is missing: describe the arguments, as in z.object({ orderId: z.string() }); a tool without any takes z.object({}).',
    );
  }
  checkBehavior(options, fail);
  checkLimits(options, fail);
  checkExecute(options, fail);
  checkGate(options, fail);
  return subject;
}

type Fail = (field: string, problem: string) => never;

function checkName(name: unknown): string {
  if (typeof name === 'string' && toolNamePattern.test(name)) return `tool "${name}"`;
  if (name === undefined || name === '')
    throw new DefinitionError('tool', 'name', 'it is missing: write a name such as refund_order.');
  const given = typeof name === 'string' ? name : JSON.stringify(name);
  const suggestion = given.replaceAll(/[^a-zA-Z0-9_-]+/g, '_').slice(0, 64);
  throw new DefinitionError(
    `tool "${given}"`,
    'name',
    `only letters, digits, _ and - are allowed, at most 64 of them: write ${/[a-zA-Z0-9]/.test(suggestion) ? suggestion : 'refund_order'}.`,
  );
}

function checkBehavior(options: Options, fail: Fail): void {
  const { permission } = options;
  if (permission !== undefined && typeof permission !== 'function' && !isBehavior(permission)) {
    fail(
      'permission',
      `${JSON.stringify(permission)} is none: write 'allow', 'ask', 'deny' or a function (input, context) => one of these.`,
    );
  }
  if (options.readOnly === true && permission === 'ask')
    fail(
      'permission',
      "a call that only reads passes without asking: leave readOnly out, or return { behavior: 'ask', isSafety: true, reason } from a function to ask all the same.",
    );
  for (const field of ['readOnly', 'concurrencySafe'] as const) {
    const value = options[field];
    if (value !== undefined && typeof value !== 'boolean' && typeof value !== 'function') {
      fail(field, 'write true, false or a function (input) => boolean.');
    }
  }
  for (const field of ['idempotent', 'external', 'returnDirect'] as const) {
    if (options[field] !== undefined && typeof options[field] !== 'boolean')
      fail(field, 'write true or false.');
  }
  const { preset } = options;
  if (preset !== undefined && (typeof preset !== 'object' || preset === null || Array.isArray(preset))) {
    fail('preset', 'write an object of parameters, such as { region: "eu" }.');
  }
}

function checkLimits(options: Options, fail: Fail): void {
  const { timeout, retry, backgroundAfterMs } = options;
  if (backgroundAfterMs !== undefined) {
    if (!isIntegerWithin(backgroundAfterMs, maxTimeoutMs))
      fail('backgroundAfterMs', `write whole milliseconds from 1 to ${maxTimeoutMs}, such as 10_000.`);
    if (options.external === true)
      fail('backgroundAfterMs', 'an external tool runs elsewhere in any case: leave it out, or external.');
    if (options.returnDirect === true)
      fail(
        'backgroundAfterMs',
        'its result would come after the turn that it ends: leave it out, or returnDirect.',
      );
  }
  if (timeout !== undefined && !isIntegerWithin(timeout, maxTimeoutMs)) {
    fail('timeout', `write whole milliseconds from 1 to ${maxTimeoutMs}, such as 30_000.`);
  }
  if (retry === undefined) return;
  const maxAttempts =
    typeof retry === 'object' && retry !== null && 'maxAttempts' in retry ? retry.maxAttempts : undefined;
  if (!isIntegerWithin(maxAttempts, 100))
    fail('retry.maxAttempts', 'write a whole number from 1 to 100, as in { maxAttempts: 3 }.');
  const mayRepeat =
    options.idempotent === true || typeof options.readOnly === 'function' || options.readOnly === true;
  if (maxAttempts !== 1 && !mayRepeat) {
    fail(
      'retry',
      'a failed attempt may have acted, so a tool that is neither readOnly nor idempotent is tried once: pass context.idempotencyKey on and declare idempotent: true, or leave retry out.',
    );
  }
}

function checkExecute({ external, execute }: Options, fail: Fail): void {
  if (execute !== undefined && typeof execute !== 'function')
    fail('execute', 'write a function (input, context) => result.');
  if (external === true && execute !== undefined) {
    fail('execute', 'an external tool is executed by a system outside: leave execute out, or external.');
  }
  if (external !== true && execute === undefined) {
    fail(
      'execute',
      'it is missing: write a function (input, context) => result, or external: true when a system outside submits the result.',
    );
  }
}

function checkGate(options: Options, fail: Fail): void {
  for (const field of ['matchRule', 'coversTogether', 'opaque', 'suggestRules', 'editTargets'] as const)
    if (options[field] !== undefined && typeof options[field] !== 'function')
      fail(field, 'write a function of the input.');
  const { boundBy } = options;
  const isByName = typeof boundBy === 'object' && boundBy !== null;
  if (boundBy !== undefined && !(isByName && Object.values(boundBy).every((of) => typeof of === 'function')))
    fail('boundBy', 'write functions of the input and a pattern, by the name of a tool.');
  const { secrets, approval, deadline } = options;
  const isPaths = Array.isArray(secrets) && secrets.every((path) => typeof path === 'string' && path !== '');
  if (secrets !== undefined && !isPaths)
    fail('secrets', "write paths of fields, such as ['password', 'card.number'].");
  if (secrets !== undefined && options.external === true)
    fail(
      'secrets',
      'a system outside would get only what stands in their place: hand it the secret in a way of its own.',
    );
  for (const [field, schema, value] of [
    ['approval', ApprovalPolicy, approval],
    ['deadline', GateDeadline, deadline],
  ] as const) {
    const issue = value === undefined ? undefined : schema.safeParse(value).error?.issues[0];
    if (issue) fail([field, ...issue.path].join('.'), `${issue.message}.`);
  }
}

function isIntegerWithin(value: unknown, max: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= max;
}

/** A wrong preset would be told to the model with every call, which can't mend it. */
export function checkPreset(
  subject: string,
  preset: Readonly<Record<string, unknown>>,
  schema: CompiledSchema,
): void {
  const keys = Object.keys(preset);
  const unknown = keys.find((key) => !schema.properties.includes(key));
  if (unknown !== undefined) {
    const names = schema.properties.join(', ') || 'none';
    throw new DefinitionError(
      subject,
      `preset.${unknown}`,
      `input has no such property.${didYouMean(unknown, schema.properties)} Its properties are: ${names}.`,
    );
  }
  if (keys.length === 0) return;
  const checked = schema.check({ ...preset });
  if (checked instanceof Promise) {
    // A schema that checks asynchronously is left to the calls.
    checked.catch(() => undefined);
    return;
  }
  const issue = checked.ok ? undefined : checked.issues.find(({ path }) => keys.includes(String(path[0])));
  if (issue)
    throw new DefinitionError(
      subject,
      `preset.${pathName(issue.path)}`,
      `it doesn't fit input: ${issue.text}.`,
    );
}
