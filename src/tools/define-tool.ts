import type { ApprovalPolicy, GateDeadline } from '../core/approval.ts';
import type { Coverage, PermissionBehavior, PermissionDecision, PermissionRule } from '../core/permission.ts';
import { checkToolOptions, checkPreset, defaultTimeoutMs } from './check-tool-options.ts';
import type { JsonSchema } from './json-schema-type.ts';
import { asPermissionCheck } from './permission-check.ts';
import { issueTexts, type Checked } from './schema-issues.ts';
import { compileSchema, type SchemaInput, type SchemaOutput, type ToolSchema } from './tool-schema.ts';
import type { PermissionContext, Tool, ToolContext, Validation } from './tool.ts';

/** A word, or a word with the reason that the person or the model reads. */
export type PermissionAnswer = PermissionBehavior | PermissionDecision;

export interface ToolOptions<Schema extends ToolSchema, Preset> {
  /** What the model calls it: letters, digits, `_` and `-`, at most 64. */
  name: string;
  /** Tells the model what it does and when to use it. */
  description: string;
  /** zod 4, any Standard Schema, or a plain JSON Schema of type object. */
  input: Schema;
  /** The JSON Schema of `input`, where its library can't make one. */
  parameters?: JsonSchema;
  /** Default: read-only calls pass, others ask a person. `deny` holds whatever else allows it. */
  permission?:
    | PermissionBehavior
    | ((
        input: SchemaOutput<Schema>,
        context: PermissionContext,
      ) => PermissionAnswer | undefined | Promise<PermissionAnswer | undefined>);
  /** It changes nothing. Default: false. */
  readOnly?: boolean | ((input: SchemaOutput<Schema>) => boolean);
  /** It may run beside others. Default: `readOnly`. */
  concurrencySafe?: boolean | ((input: SchemaOutput<Schema>) => boolean);
  /** It may run again under the same idempotency key without acting twice. Default: false. */
  idempotent?: boolean;
  /** A system outside executes it and submits the result; it needs no `execute`. */
  external?: boolean;
  /** Its result ends the turn, without another model call. */
  returnDirect?: boolean;
  /** Limit of one call in milliseconds, retries included. Default: 5 minutes. */
  timeout?: number;
  /** A call that takes longer goes on in the background: the model works on, and is told the result by a message. In milliseconds. */
  backgroundAfterMs?: number;
  /** Tries in all when it throws; only for tools that are read-only or idempotent. Default: 1. */
  retry?: { maxAttempts: number };
  /** Whether a rule's pattern covers this input, for rules `name(pattern)`. Default: `path=value` conditions joined by `&`. */
  matchRule?: (input: SchemaOutput<Schema>, pattern: string, behavior: PermissionBehavior) => boolean;
  /** Tools whose deny and ask rules with a pattern bind this one as well: by name, whether such a pattern covers this input, or `'maybe'`. */
  boundBy?: Readonly<
    Record<string, (input: SchemaOutput<Schema>, pattern: string, behavior: PermissionBehavior) => Coverage>
  >;
  /** Whether several allow rules together cover this input, where none does alone. */
  coversTogether?: (input: SchemaOutput<Schema>, patterns: readonly string[]) => boolean;
  /** What this call would do is known only when it runs, so that no rule's pattern can be sure not to cover it. */
  opaque?: (input: SchemaOutput<Schema>) => boolean;
  /** Rules that a person may remember for calls like this one, narrowest first. Default: the whole tool. */
  suggestRules?: (input: SchemaOutput<Schema>) => PermissionRule[];
  /** Paths that this call would change, for a tool that only edits files: what lies in a working directory passes in mode `accept_edits`. */
  editTargets?: (input: SchemaOutput<Schema>) => readonly string[] | undefined;
  /** Fields whose values never reach transcript, events, logs or audit: `password`, `card.number`, `headers.*`. */
  secrets?: readonly string[];
  /** Who may answer its gates. Default: as the agent says. */
  approval?: ApprovalPolicy;
  /** What happens when nobody answers its gates. Default: as the agent says. */
  deadline?: GateDeadline;
  /** Parameters that the model neither sees nor sets: they override what it writes, and reach `execute` in its input and as `context.preset`. */
  preset?: Preset;
  /** An async function, a plain one, or an async generator that yields streamed text and returns the rest. See `Tool.execute` for what may be returned. */
  execute?: (input: SchemaOutput<Schema>, context: ToolContext<Preset>) => unknown;
}

/**
 * Makes a tool. The types of `input` flow to `execute`.
 *
 * @example
 * const findOrder = defineTool({
 *   name: 'find_order',
 *   description: 'Look an order up by its id',
 *   input: z.object({ orderId: z.string() }),
 *   readOnly: true,
 *   execute: ({ orderId }) => orders.get(orderId),
 * });
 * @throws DefinitionError naming the field and the remedy.
 */
export function defineTool<
  const Schema extends ToolSchema,
  const Preset extends Partial<SchemaInput<Schema>> = Partial<SchemaInput<Schema>>,
>(options: ToolOptions<Schema, Preset>): Tool {
  type Input = SchemaOutput<Schema>;
  const subject = checkToolOptions(options);
  const compiled = compileSchema(subject, options.input, options.parameters);
  const preset: Readonly<Record<string, unknown>> = Object.freeze({ ...options.preset });
  checkPreset(subject, preset, compiled);
  const { name, execute, readOnly = false, concurrencySafe = readOnly } = options;

  return Object.freeze<Tool>({
    name,
    description: options.description,
    parameters: withoutPreset(compiled.parameters, Object.keys(preset)),
    validate: async (args) =>
      toValidation(await compiled.check(isObject(args) ? { ...args, ...preset } : args)),
    isReadOnly: (input) => holds(readOnly, input as Input),
    isConcurrencySafe: (input) => holds(concurrencySafe, input as Input),
    isIdempotent: options.idempotent ?? false,
    isExternal: options.external ?? false,
    returnDirect: options.returnDirect ?? false,
    timeoutMs: options.timeout ?? defaultTimeoutMs,
    maxAttempts: options.retry?.maxAttempts ?? 1,
    checkPermission: asPermissionCheck(name, options.permission),
    ...gateOptions(options),
    execute: async (input, context) => {
      if (execute === undefined)
        throw new Error(`${name} is external: the system outside that executes it submits its result.`);
      return execute(input as Input, { ...context, preset: preset as unknown as Preset });
    },
  });
}

/** What of the options concerns gates; what was left out stays out. */
function gateOptions<Schema extends ToolSchema, Preset>(options: ToolOptions<Schema, Preset>): Partial<Tool> {
  type Input = SchemaOutput<Schema>;
  const {
    matchRule,
    boundBy,
    coversTogether,
    opaque,
    suggestRules,
    editTargets,
    secrets,
    approval,
    deadline,
  } = options;
  const { backgroundAfterMs } = options;
  return {
    ...(backgroundAfterMs === undefined ? {} : { backgroundAfterMs }),
    ...(matchRule
      ? {
          matchRule: (input: unknown, pattern: string, behavior: PermissionBehavior) =>
            matchRule(input as Input, pattern, behavior),
        }
      : {}),
    ...(boundBy ? { boundBy: Object.freeze({ ...boundBy }) as NonNullable<Tool['boundBy']> } : {}),
    ...(coversTogether
      ? {
          coversTogether: (input: unknown, patterns: readonly string[]) =>
            coversTogether(input as Input, patterns),
        }
      : {}),
    ...(opaque ? { isOpaque: (input: unknown) => opaque(input as Input) } : {}),
    ...(suggestRules ? { suggestRules: (input: unknown) => suggestRules(input as Input) } : {}),
    ...(editTargets ? { editTargets: (input: unknown) => editTargets(input as Input) } : {}),
    ...(secrets ? { secrets: Object.freeze([...secrets]) } : {}),
    ...(approval ? { approval } : {}),
    ...(deadline ? { deadline } : {}),
  };
}

function toValidation(checked: Checked): Validation {
  return checked.ok ? checked : { ok: false, issues: issueTexts(checked.issues) };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whatever is not plainly true, a throwing predicate included, counts as the careful answer. */
function holds<Input>(predicate: boolean | ((input: Input) => boolean), input: Input): boolean {
  if (typeof predicate === 'boolean') return predicate;
  try {
    const answer: unknown = predicate(input);
    return answer === true;
  } catch {
    return false;
  }
}

function withoutPreset(parameters: Tool['parameters'], preset: string[]): Tool['parameters'] {
  if (preset.length === 0) return parameters;
  const { properties, required, ...rest } = parameters;
  const shown = Object.entries(properties ?? {}).filter(([key]) => !preset.includes(key));
  const needed = Array.isArray(required)
    ? required.filter((key) => !(typeof key === 'string' && preset.includes(key)))
    : [];
  return {
    ...rest,
    properties: Object.fromEntries(shown),
    ...(needed.length > 0 ? { required: needed } : {}),
  };
}
