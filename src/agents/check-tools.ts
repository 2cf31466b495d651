import { toolNamePattern } from '../tools/check-tool-options.ts';
import { readResultName } from '../core/cut-result.ts';
import { outputToolName } from '../core/output-tool.ts';
import { DefinitionError } from '../tools/definition-error.ts';
import type { Tool } from '../tools/tool.ts';

type Check = (value: unknown) => boolean;

const isFunction: Check = (value) => typeof value === 'function';
const isBoolean: Check = (value) => typeof value === 'boolean';
const isText: Check = (value) => typeof value === 'string' && value.trim() !== '';
const isPositive: Check = (value) => typeof value === 'number' && Number.isInteger(value) && value >= 1;

const isTexts: Check = (value) => Array.isArray(value) && value.every(isText);
const isRecord: Check = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

/** What the runtime relies on, and the words for it. */
const members: Record<keyof Tool, [check: Check, expected: string]> = {
  name: [
    (value) => typeof value === 'string' && toolNamePattern.test(value),
    'letters, digits, _ and -, at most 64',
  ],
  description: [isText, 'a text'],
  parameters: [isObjectSchema, "a JSON Schema with type: 'object'"],
  validate: [isFunction, 'a function'],
  isReadOnly: [isFunction, 'a function'],
  isConcurrencySafe: [isFunction, 'a function'],
  isIdempotent: [isBoolean, 'true or false'],
  isRemote: [optional(isBoolean), 'true or false'],
  isExternal: [isBoolean, 'true or false'],
  returnDirect: [isBoolean, 'true or false'],
  timeoutMs: [isPositive, 'a whole number of milliseconds'],
  waitMs: [optional(isPositive), 'a whole number of milliseconds'],
  maxAttempts: [isPositive, 'a whole number from 1'],
  checkPermission: [isFunction, 'a function'],
  matchRule: [optional(isFunction), 'a function'],
  boundBy: [optional(isRecord), 'functions by the name of a tool'],
  coversTogether: [optional(isFunction), 'a function'],
  isOpaque: [optional(isFunction), 'a function'],
  suggestRules: [optional(isFunction), 'a function'],
  editTargets: [optional(isFunction), 'a function'],
  secrets: [optional(isTexts), "paths of fields, such as ['password', 'card.number']"],
  approval: [optional(isRecord), "a policy, such as { by: 'not_requester' }"],
  deadline: [optional(isRecord), "a deadline, such as { afterMs: 3600000, action: 'deny' }"],
  question: [optional(isFunction), 'a function'],
  backgroundAfterMs: [optional(isPositive), 'a whole number of milliseconds'],
  subagent: [optional(isRecord), 'what agentTool makes'],
  execute: [isFunction, 'a function'],
};

const reserved = new Set([outputToolName, readResultName, 'reset_tools', 'tool_search']);

/** Anyone may make a tool by hand, so its shape is checked here. @throws DefinitionError */
export function checkTools(subject: string, tools: unknown, at = 'tools'): Tool[] {
  if (!Array.isArray(tools))
    throw new DefinitionError(subject, at, 'write an array of tools, such as [refundOrder].');
  return tools.map((tool, index) => checkTool(subject, `${at}[${index}]`, tool));
}

/** @param places tools with where they stand in the definition. @throws DefinitionError for a name that is taken. */
export function refuseTakenNames(
  subject: string,
  places: readonly (readonly [at: string, tool: Tool])[],
): void {
  const first = new Map<string, readonly [at: string, tool: Tool]>();
  for (const place of places) {
    const [at, { name, description }] = place;
    if (reserved.has(name))
      throw new DefinitionError(
        subject,
        `${at}.name`,
        `${name} is the name of a tool of the runtime: choose another.`,
      );
    const other = first.get(name);
    if (other)
      throw new DefinitionError(
        subject,
        `${at}.name`,
        `${other[0]} ("${other[1].description}") and ${at} ("${description}") are both named ${name}: a model tells tools by their names, so rename one.`,
      );
    first.set(name, place);
  }
}

function checkTool(subject: string, field: string, tool: unknown): Tool {
  if (typeof tool !== 'object' || tool === null) {
    throw new DefinitionError(
      subject,
      field,
      `it is ${tool === null ? 'null' : typeof tool}, not a tool: make it with defineTool.`,
    );
  }
  if ('input' in tool && !('validate' in tool)) {
    throw new DefinitionError(
      subject,
      field,
      'these are the options of a tool: wrap them, as in defineTool({ … }).',
    );
  }
  for (const [member, [check, expected]] of Object.entries(members)) {
    if (check(Reflect.get(tool, member))) continue;
    throw new DefinitionError(
      subject,
      `${field}.${member}`,
      `expected ${expected}: make the tool with defineTool, or complete it as the Tool interface says.`,
    );
  }
  return tool as Tool;
}

function isObjectSchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'object';
}
