import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Json } from '../../schema/message.ts';

type JsonObject = Record<string, Json>;

export interface ConversationMessage {
  role: 'user' | 'assistant' | 'tool';
  text: string;
  /** Calls that an assistant message proposed. */
  calls: { id: string; name: string; arguments: string }[];
  /** Of a tool result: the call that it answers, and that call's tool. */
  callId?: string;
  toolName?: string;
}

/** One call of the endpoint, as recorded; what it reads from the body is the same for both APIs. */
export interface ScriptedRequest {
  /** From 1. */
  number: number;
  api: 'chat' | 'responses';
  headers: IncomingHttpHeaders;
  body: JsonObject;
  isStreaming: boolean;
  model: string;
  system: string;
  messages: ConversationMessage[];
  /** Names of the tools on offer. */
  tools: string[];
  /** The latest user message; runtime hints come as user messages too. */
  lastUserText: string;
  /** Results that the conversation holds, of one tool if named, oldest first. */
  results(toolName?: string): ConversationMessage[];
  /** The caller's end of the connection: the same port is the same connection. */
  callerPort: number | undefined;
  /** The caller closed the connection before the answer was complete. */
  aborted: boolean;
  /** Milliseconds since the epoch, with fractions: its arrival, each SSE message sent, its end. */
  arrivedAt: number;
  sentAt: number[];
  endedAt?: number;
}

export function readRequest(
  number: number,
  api: ScriptedRequest['api'],
  { headers, socket }: IncomingMessage,
  body: JsonObject,
): ScriptedRequest {
  const items = list(api === 'chat' ? body['messages'] : body['input']).map(object);
  const messages = withToolNames(api === 'chat' ? fromChat(items) : fromResponses(body['input'], items));
  const systemRoles = ['system', 'developer'];
  const system = items.filter((item) => systemRoles.includes(text(item['role'])));
  return {
    number,
    api,
    headers,
    body,
    isStreaming: body['stream'] === true,
    model: text(body['model']),
    system: [text(body['instructions']), ...system.map((item) => contentText(item['content']))]
      .filter((part) => part !== '')
      .join('\n'),
    messages,
    tools: list(body['tools']).map((tool) =>
      text(object(tool)['name'] ?? object(object(tool)['function'])['name']),
    ),
    lastUserText: messages.findLast((message) => message.role === 'user')?.text ?? '',
    results: (toolName) =>
      messages.filter(
        (message) => message.role === 'tool' && (toolName === undefined || message.toolName === toolName),
      ),
    callerPort: socket.remotePort,
    aborted: false,
    sentAt: [],
    arrivedAt: performance.timeOrigin + performance.now(),
  };
}

function fromChat(items: JsonObject[]): ConversationMessage[] {
  const messages: ConversationMessage[] = [];
  for (const item of items) {
    const role = item['role'];
    if (role !== 'user' && role !== 'assistant' && role !== 'tool') continue;
    messages.push({
      role,
      text: contentText(item['content']),
      calls: list(item['tool_calls']).map((call) => {
        const called = object(object(call)['function']);
        return {
          id: text(object(call)['id']),
          name: text(called['name']),
          arguments: text(called['arguments']),
        };
      }),
      ...(role === 'tool' ? { callId: text(item['tool_call_id']) } : {}),
    });
  }
  return messages;
}

/** Items of one answer (text, calls) make one assistant message, as in the other API. */
function fromResponses(input: Json | undefined, items: JsonObject[]): ConversationMessage[] {
  if (typeof input === 'string') return [{ role: 'user', text: input, calls: [] }];
  const messages: ConversationMessage[] = [];
  const assistant = (): ConversationMessage => {
    const last = messages.at(-1);
    if (last?.role === 'assistant') return last;
    const opened: ConversationMessage = { role: 'assistant', text: '', calls: [] };
    messages.push(opened);
    return opened;
  };
  for (const item of items) {
    if (item['type'] === 'function_call')
      assistant().calls.push({
        id: text(item['call_id']),
        name: text(item['name']),
        arguments: text(item['arguments']),
      });
    else if (item['type'] === 'function_call_output')
      messages.push({
        role: 'tool',
        text: contentText(item['output']),
        calls: [],
        callId: text(item['call_id']),
      });
    else if (item['role'] === 'assistant') assistant().text += contentText(item['content']);
    else if (item['role'] === 'user')
      messages.push({ role: 'user', text: contentText(item['content']), calls: [] });
  }
  return messages;
}

function withToolNames(messages: ConversationMessage[]): ConversationMessage[] {
  const names = new Map(messages.flatMap((message) => message.calls).map((call) => [call.id, call.name]));
  for (const message of messages) {
    const name = message.callId === undefined ? undefined : names.get(message.callId);
    if (name !== undefined) message.toolName = name;
  }
  return messages;
}

function contentText(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  return list(content)
    .map((part) => text(object(part)['text']))
    .filter((part) => part !== '')
    .join('\n');
}

function list(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

function object(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
