import type { ElicitRequestParams, ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import type { Question } from '../schema/event.ts';
import type { ToolContext } from '../tools/tool.ts';
import type { McpServer } from './server.ts';

type Form = Extract<ElicitRequestParams, { requestedSchema: unknown }>['requestedSchema'];
type Field = Form['properties'][string];
type Content = NonNullable<ElicitResult['content']>;

/** Asks a person what the server asks, at a gate of the call that it runs. */
export async function answerElicitation(
  server: McpServer,
  params: ElicitRequestParams,
  call: ToolContext | undefined,
): Promise<ElicitResult> {
  // Nothing runs that a person could see it in.
  if (call === undefined || server.elicitationMs === undefined) return { action: 'decline' };
  const fields = params.mode === 'url' ? {} : params.requestedSchema.properties;
  let problem = '';
  for (;;) {
    const question =
      params.mode === 'url' ? urlQuestion(server, params) : formQuestion(server, params, problem);
    const given = await call.ask(question, { waitMs: server.elicitationMs });
    if (given.kind === 'denied') return { action: 'decline' };
    if (given.kind === 'nobody') return { action: 'cancel' };
    if (params.mode === 'url') return { action: given.answer === done ? 'accept' : 'decline' };
    const read = readAnswer(fields, given.answer);
    if ('content' in read) return { action: 'accept', content: read.content };
    problem = read.problem;
  }
}

const done = 'Done';

function urlQuestion(server: McpServer, { message, url }: { message: string; url: string }): Question {
  return {
    question: `${server.name} asks you to open ${url}\n${message}`,
    options: [{ label: done, description: 'you have opened it and done what it asks' }, { label: 'No' }],
    isFree: false,
    isSecret: false,
  };
}

/** One field is asked for plainly; several are answered as JSON. */
function formQuestion(
  server: McpServer,
  { message, requestedSchema }: { message: string; requestedSchema: Form },
  problem: string,
): Question {
  const required = requestedSchema.required ?? [];
  const entries = Object.entries(requestedSchema.properties);
  const [first] = entries;
  const intro = `${problem === '' ? '' : `${problem}\n`}${server.name} asks: ${message}`;
  const options = entries.length === 1 && first ? optionsOf(first[1]) : undefined;
  const question =
    entries.length === 0
      ? intro
      : entries.length === 1 && first
        ? `${intro}\n${fieldText(first[0], first[1], true)}`
        : `${intro}\nAnswer with JSON, such as {"${first?.[0]}": …}:\n${entries
            .map(([name, field]) => fieldText(name, field, required.includes(name)))
            .join('\n')}`;
  const confirm = entries.length === 0 ? [{ label: 'Yes' }] : undefined;
  const choices = options?.map((label) => ({ label })) ?? confirm;
  return {
    question,
    ...(choices ? { options: choices } : {}),
    isFree: choices === undefined,
    isSecret: false,
  };
}

function fieldText(name: string, field: Field, isRequired: boolean): string {
  const options = optionsOf(field);
  const kind = field.type === 'array' ? 'a list' : field.type === 'string' ? 'text' : `a ${field.type}`;
  const about = [field.title, field.description].filter((text) => text !== undefined).join(': ');
  return `- ${name}${about === '' ? '' : ` (${about})`}: ${kind}${options ? `, of ${options.join(', ')}` : ''}${isRequired ? '' : ', optional'}`;
}

/** What may be chosen, where the field says so. */
function optionsOf(field: Field): string[] | undefined {
  if (field.type === 'boolean') return ['true', 'false'];
  const source = field.type === 'array' ? (field as { items: object }).items : field;
  if ('enum' in source && Array.isArray(source.enum)) return source.enum.map(String);
  const titled = 'oneOf' in source ? source.oneOf : 'anyOf' in source ? source.anyOf : undefined;
  return Array.isArray(titled) ? titled.map((item: { const: string }) => item.const) : undefined;
}

/** Pure. The answer as the fields want it, or what is wrong with it. */
export function readAnswer(
  fields: Readonly<Record<string, Field>>,
  answer: string,
): { content: Content } | { problem: string } {
  const names = Object.keys(fields);
  if (names.length === 0) return { content: {} };
  let given: unknown;
  try {
    given = JSON.parse(answer);
  } catch {
    given = answer;
  }
  const isRecord = typeof given === 'object' && given !== null && !Array.isArray(given);
  const [only] = names;
  if (!isRecord && names.length > 1)
    return { problem: `That is no JSON object. The fields are: ${names.join(', ')}.` };
  const record = isRecord ? (given as Record<string, unknown>) : { [only!]: answer };
  const content: Content = {};
  for (const [name, value] of Object.entries(record)) {
    const field = fields[name];
    if (!field) return { problem: `There is no field ${name}. The fields are: ${names.join(', ')}.` };
    const read = readValue(field, value);
    if (read === undefined) return { problem: `${name} must be ${fieldText(name, field, true).slice(2)}.` };
    content[name] = read;
  }
  return { content };
}

function readValue(field: Field, value: unknown): string | number | boolean | string[] | undefined {
  const options = optionsOf(field);
  switch (field.type) {
    case 'boolean':
      return value === true || value === 'true'
        ? true
        : value === false || value === 'false'
          ? false
          : undefined;
    case 'number':
    case 'integer': {
      const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
      if (typeof number !== 'number' || Number.isNaN(number)) return undefined;
      return field.type === 'integer' && !Number.isInteger(number) ? undefined : number;
    }
    case 'array': {
      const list = Array.isArray(value)
        ? value.map(String)
        : String(value)
            .split(',')
            .map((item) => item.trim());
      return options && !list.every((item) => options.includes(item)) ? undefined : list;
    }
    default:
      if (typeof value !== 'string' && typeof value !== 'number') return undefined;
      return options && !options.includes(String(value)) ? undefined : String(value);
  }
}
