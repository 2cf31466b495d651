import { describeError } from './tool-errors.ts';
import type { Tool } from './tool.ts';

export type ParsedArguments = { ok: true; input: unknown } | { ok: false; message: string };

/**
 * Reads the arguments of a call as the model wrote them. Broken JSON is never repaired, because what is guessed may be acted on:
 * the model is told, and writes it again.
 */
export async function parseArguments(raw: string, tool: Tool): Promise<ParsedArguments> {
  if (raw.trim() === '') return checkArguments({}, tool);
  let args: unknown;
  try {
    args = JSON.parse(raw, reviveSafely);
  } catch (error) {
    // The error quotes what it stumbled over.
    const why = tool.secrets?.length ? 'not quoted here, for they may hold a secret' : describeError(error);
    return refuse(tool, `are not valid JSON (${why}).${cutOffHint(raw, error)}`);
  }
  return checkArguments(args, tool);
}

/** Checks arguments that are JSON values already, such as those that a person edited; presets are applied. */
export async function checkArguments(args: unknown, tool: Tool): Promise<ParsedArguments> {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) {
    return refuse(tool, `must be one JSON object, not ${kindOf(args)}.`);
  }
  try {
    const result = await tool.validate(args);
    if (result.ok) return { ok: true, input: result.value };
    return refuse(tool, `don't fit its schema:\n${result.issues.map((issue) => `- ${issue}`).join('\n')}\n`);
  } catch (error) {
    return refuse(tool, `could not be checked: ${describeError(error)}.`);
  }
}

function refuse(tool: Tool, problem: string): ParsedArguments {
  return {
    ok: false,
    message: `${tool.name} was not run: its arguments ${problem.trimEnd()}\nCorrect this and call ${tool.name} again with complete arguments.`,
  };
}

/**
 * Leaves out `__proto__`, which would change an object's prototype where somebody copies it, and refuses numbers that JavaScript would
 * round in silence: an order id of 20 digits would become another order's.
 */
function reviveSafely(key: string, value: unknown, context?: { source?: string }): unknown {
  if (key === '__proto__') return undefined;
  if (typeof value === 'number' && context?.source !== undefined && isRounded(value, context.source)) {
    throw new RangeError(
      `the number ${context.source.slice(0, 40)} of "${key}" is too large to be exact: write it as a string if the schema allows`,
    );
  }
  return value;
}

function isRounded(value: number, source: string): boolean {
  return !Number.isFinite(value) || (/^-?\d+$/.test(source) && !Number.isSafeInteger(value));
}

/** The parser either says that the text ended, or stumbles at its very end. */
function cutOffHint(raw: string, error: unknown): string {
  if (!(error instanceof SyntaxError)) return '';
  const position = /at position (\d+)/.exec(error.message)?.[1];
  const isCutOff =
    /end of JSON|unterminated/i.test(error.message) || Number(position) >= raw.trimEnd().length;
  if (!isCutOff) return '';
  return ` They stop after ${raw.length} characters, in the middle: if they were too long, write less at a time.`;
}

function kindOf(args: unknown): string {
  if (args === null) return 'null';
  if (Array.isArray(args)) return 'an array';
  return typeof args === 'string' ? 'a string that holds JSON' : `a ${typeof args}`;
}
