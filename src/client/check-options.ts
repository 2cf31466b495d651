import type { GateAnswer } from '../contracts/activities.ts';
import { answerFields, whyUnknownField } from '../contracts/answer-fields.ts';
import { idRule, isValidId } from '../contracts/ids.ts';
import { actorIdRule, isActorId } from '../core/approval.ts';
import { isPermissionMode, permissionModes } from '../core/permission.ts';
import type { AnswerOptions, SubmitOptions } from './client.ts';
import { GivenRule } from '../schema/event.ts';
import { DurascopeError } from './durascope-error.ts';

const waysToBeBusy = ['queue', 'reject', 'steer', 'deny'];
const maxKeyLength = 200;
/** Of the answers that are sent together, as JSON. */
const maxAnswerBytes = 1024 * 1024;
const maxMetadata = 50;
const maxMetadataLength = 1_000;

/** For callers whose types were not checked. @throws DurascopeError `invalid_input`, naming the option. */
export function checkSubmitOptions({ idempotencyKey, ifBusy, actor, output }: SubmitOptions): void {
  if (idempotencyKey !== undefined && !isName(idempotencyKey))
    fail(`idempotencyKey must be a text of 1 to ${maxKeyLength} characters`);
  if (ifBusy !== undefined && !waysToBeBusy.includes(ifBusy))
    fail(`ifBusy is ${JSON.stringify(ifBusy)}: it must be one of ${waysToBeBusy.join(', ')}`);
  if (output !== undefined && (ifBusy === 'steer' || ifBusy === 'deny'))
    fail(`output needs a turn of its own: submit with ifBusy "queue" or "reject", not "${ifBusy}"`);
  checkActor(actor);
}

/** For callers whose types were not checked. @throws DurascopeError `invalid_input` */
export function checkActor(actor: SubmitOptions['actor']): void {
  if (actor !== undefined && !isActorId(typeof actor === 'string' ? actor : actor?.id))
    fail(`actor must be a name or { id, roles? }, a name ${actorIdRule}`);
}

/** For callers whose types were not checked: a mode that nobody knows must not pass for one. @throws DurascopeError `invalid_input` */
export function checkPermissionChange(change: { mode?: unknown; addRules?: unknown; rules?: unknown }): void {
  checkKnown('the change of permissions', change, ['mode', 'addRules', 'rules']);
  const { mode, addRules, rules } = change;
  if (mode !== undefined && !isPermissionMode(mode))
    fail(`mode is ${JSON.stringify(mode)}: it must be one of ${permissionModes.join(', ')}`);
  if (rules !== undefined) checkRules('rules', rules);
  if (addRules !== undefined) checkRules('addRules', addRules);
}

/** An option that nobody reads is a slip. @throws DurascopeError `invalid_input`, naming the field and the known ones. */
export function checkKnown(what: string, value: object, known: readonly string[]): void {
  const unknown = whyUnknownField(what, value, known);
  if (unknown !== undefined) fail(unknown);
}

/** Rules of a session are kept where its tools are not known, so only their form is checked. @throws DurascopeError `invalid_input` */
export function checkRules(field: string, rules: unknown): void {
  const parsed = GivenRule.array().safeParse(rules);
  const example = '{ tool: "refund_order", pattern: "orderId=1001", behavior: "allow" }';
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const at = issue?.path.map((key) => `[${String(key)}]`).join('') ?? '';
    const unknown = issue?.code === 'unrecognized_keys' ? ` (unknown field ${issue.keys.join(', ')})` : '';
    fail(`${field}${at} is no rule${unknown}: write ${example}`);
  }
  const empty = parsed.data.findIndex(({ tool, pattern }) => tool.trim() === '' || pattern?.trim() === '');
  if (empty >= 0)
    fail(
      `${field}[${empty}] has an empty tool or pattern: write ${example}, or leave pattern out for every call`,
    );
}

/** A message above Temporal's limit of 2 MB would hold up the turn that it is sent to. @throws DurascopeError `invalid_input`. */
export function checkAnswers(
  kind: GateAnswer['kind'],
  results: readonly { callId: string }[],
  actor?: AnswerOptions['actor'],
): void {
  checkActor(actor);
  if (
    !Array.isArray(results) ||
    results.length === 0 ||
    results.some((one) => typeof one?.callId !== 'string')
  )
    fail('results must be a list of at least one { callId, … }');
  results.forEach((one, i) => checkKnown(`results[${i}]`, one, answerFields[kind]));
  const bytes = Buffer.byteLength(JSON.stringify(results));
  if (bytes > maxAnswerBytes)
    throw new DurascopeError(
      'invalid_input',
      `results has ${bytes} bytes, above the limit of ${maxAnswerBytes}: put large content where a tool can read it, and pass its address`,
    );
}

/** For callers whose types were not checked. @throws DurascopeError `invalid_input`. */
export function checkMetadata(metadata: Record<string, string>): void {
  const entries = Object.entries(metadata);
  if (entries.length > maxMetadata)
    fail(`metadata has ${entries.length} entries: ${maxMetadata} are the most`);
  for (const [name, value] of entries)
    if (!isName(name) || typeof value !== 'string' || value.length > maxMetadataLength)
      fail(
        `metadata.${name} must be a text of at most ${maxMetadataLength} characters, its name 1 to ${maxKeyLength}`,
      );
}

export function checkTurnNumber(turn: number): void {
  if (!Number.isSafeInteger(turn) || turn < 1)
    fail(`turn is ${turn}: turns of a session are numbered from 1`);
}

export function checkId(field: string, value: string): void {
  if (typeof value !== 'string' || !isValidId(value))
    fail(`${field} ${JSON.stringify(value)} is not valid: ${idRule}`);
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= maxKeyLength;
}

function fail(message: string): never {
  throw new DurascopeError('invalid_input', message);
}
