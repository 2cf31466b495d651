import type { McpServer as SdkServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { CallToolResult, ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { Durascope, PendingCall, Session, Turn } from '../client/client.ts';
import { DurascopeError } from '../client/durascope-error.ts';
import { Json, type Block, type Msg } from '../schema/message.ts';
import { reportProgress } from './report-progress.ts';

/** What a client of the MCP server may do, and for whom. */
export interface Access {
  durascope: Durascope;
  owner: string;
  /** Agents that may be started; without any, those of the workers by their names. */
  agents: readonly { name: string; description?: string }[];
  /** Lets the client's user answer gates. It is a person's word: never for a client that a model drives alone. */
  mayApprove: boolean;
}

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

const maxWaitSeconds = 600;
const session = z.string().min(1).max(128).describe('The session, as start_turn or list_sessions names it');
const waitSeconds = z
  .number()
  .int()
  .min(0)
  .max(maxWaitSeconds)
  .describe('How long to wait for the answer, or for a gate; progress is reported meanwhile');

/** Gives a client tools to start durable turns, to wait for them, and to read what was said. */
export function addDurascopeTools(server: SdkServer, access: Access): void {
  const { durascope, owner, agents, mayApprove } = access;
  const sessionOf = (id: string, agent?: string): Session =>
    durascope.session({ owner, id, ...(agent === undefined ? {} : { agent }) });

  server.registerTool(
    'start_turn',
    {
      description: `Give an agent something to do. It goes on even when this connection ends: wait_for_turn asks for it again.${listed(agents)}`,
      inputSchema: {
        agent: agentName(agents).optional().describe('Needed for a new session'),
        input: z.string().min(1).describe('What the agent is asked'),
        session: session.optional().describe('To go on with a session; without it a new one begins'),
        idempotencyKey: z.string().optional().describe('A repeat with the same key starts nothing'),
        waitSeconds: waitSeconds.optional(),
      },
      annotations: { destructiveHint: false, openWorldHint: true },
    },
    async ({ agent, input, session: id, idempotencyKey, waitSeconds = 0 }, extra) =>
      answer(async () => {
        const of = sessionOf(id ?? `mcp-${crypto.randomUUID()}`, agent);
        const turn = await of.submit(input, idempotencyKey === undefined ? {} : { idempotencyKey });
        return stateOf(of, turn, waitSeconds, extra);
      }),
  );

  server.registerTool(
    'wait_for_turn',
    {
      description: 'Wait until a turn has its answer, or waits at a gate for somebody.',
      inputSchema: {
        session,
        turn: z.number().int().min(1).optional().describe('Default: the newest'),
        waitSeconds: waitSeconds.optional(),
      },
      annotations: { readOnlyHint: true },
    },
    async ({ session: id, turn, waitSeconds = 60 }, extra) =>
      answer(async () => {
        const of = sessionOf(id);
        const number = turn ?? (await existing(of)).lastTurn;
        return stateOf(of, of.turn(number), waitSeconds, extra);
      }),
  );

  server.registerTool(
    'read_session',
    {
      description: 'Read a session: its state, what waits, and what was said, newest messages last.',
      inputSchema: { session, cursor: z.string().optional().describe('The nextCursor of the page before') },
      annotations: { readOnlyHint: true },
    },
    async ({ session: id, cursor }) =>
      answer(async () => {
        const of = sessionOf(id);
        const { agent, state, lastTurn, pending } = await existing(of);
        const { items, nextCursor } = await of.messages(cursor === undefined ? {} : { cursor });
        return {
          session: id,
          agent,
          state,
          turn: lastTurn,
          pending: pending.map(shown),
          messages: items.map(said),
          nextCursor,
        };
      }),
  );

  server.registerTool(
    'list_sessions',
    {
      description: 'List sessions, newest first.',
      inputSchema: {
        agent: z.string().optional(),
        state: z.enum(['idle', 'running', 'waiting']).optional(),
        cursor: z.string().optional(),
      },
      annotations: { readOnlyHint: true },
    },
    async (filter) =>
      answer(async () => {
        const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
        const { items, nextCursor } = await durascope.sessions(owner, given);
        return {
          sessions: items.map(({ ref, agent, state, lastTurn, updatedAt }) => ({
            session: ref.sessionId,
            agent,
            state,
            turn: lastTurn,
            updatedAt,
          })),
          nextCursor,
        };
      }),
  );

  server.registerTool(
    'list_gates',
    {
      description: `List the calls that wait for somebody.${mayApprove ? ' answer_gate answers them.' : ' People answer them elsewhere: this connection may not.'}`,
      inputSchema: {},
      annotations: { readOnlyHint: true },
    },
    async () =>
      answer(async () => ({ gates: (await durascope.gates(owner, { limit: 200 })).items.map(shown) })),
  );

  server.registerTool(
    'interrupt_turn',
    {
      description: 'Stop the turn of a session that runs or waits; what was done so far stays.',
      inputSchema: { session, reason: z.string().optional() },
      annotations: { destructiveHint: true, idempotentHint: true },
    },
    async ({ session: id, reason }) =>
      answer(async () => {
        const of = sessionOf(id);
        await of.interrupt(reason ?? 'interrupted over MCP');
        // Afterwards, because a session that has just begun may not be in the store yet.
        await existing(of);
        return { session: id, interrupted: true };
      }),
  );

  if (mayApprove) addAnswer(server, access);
}

function addAnswer(server: SdkServer, { durascope, owner }: Access): void {
  server.registerTool(
    'answer_gate',
    {
      description:
        'Answer a call that waits, in the name of the person who uses this client: ask them first, each time.',
      inputSchema: {
        callId: z.string().min(1),
        decision: z.enum(['allow', 'deny']),
        answer: z.string().optional().describe('For a call that asks a question'),
        questionId: z.string().optional().describe('The id of its question, where that has one'),
        input: Json.optional().describe('Arguments in place of those proposed'),
        reason: z.string().optional(),
      },
      annotations: { destructiveHint: true, idempotentHint: true },
    },
    async ({ callId, decision, answer: text, questionId, input, reason }) =>
      answer(async () => {
        const of = await durascope.sessionOfCall(owner, callId);
        const confirmation = {
          callId,
          decision,
          ...(text === undefined ? {} : { answer: text }),
          ...(questionId === undefined ? {} : { questionId }),
          ...(input === undefined ? {} : { input }),
          ...(reason === undefined ? {} : { reason }),
        };
        await of.confirm([confirmation], { actor: `${owner} over MCP` });
        return { callId, session: of.id, decision };
      }),
  );
}

/** What has become of a turn, after waiting for a while. */
async function stateOf(of: Session, turn: Turn, seconds: number, extra: Extra): Promise<object> {
  const ended = new AbortController();
  const limit = AbortSignal.any([extra.signal, AbortSignal.timeout(Math.max(seconds, 0.05) * 1000)]);
  const watching = reportProgress(turn, extra, AbortSignal.any([limit, ended.signal]));
  const names = { session: of.id, turn: turn.turn };
  try {
    const reply = await turn.result({ signal: limit });
    const { finishReason, text, pending, error, output } = reply;
    if (pending.length > 0) return { ...names, state: 'waiting', pending: pending.map(shown) };
    return {
      ...names,
      state: 'ended',
      finishReason,
      text,
      ...(output === undefined ? {} : { output }),
      ...(error ? { error } : {}),
    };
  } catch (failure) {
    if (!limit.aborted || failure instanceof DurascopeError) throw failure;
    return { ...names, state: 'running', next: 'wait_for_turn' };
  } finally {
    ended.abort();
    await watching;
  }
}

async function existing(of: Session) {
  const details = await of.get();
  if (details) return details;
  throw new DurascopeError('not_found', `There is no session ${of.id}: list_sessions names those there are`);
}

function shown({ callId, sessionId, name, arguments: args, state, reason, question }: PendingCall) {
  return { callId, session: sessionId, tool: name, arguments: args, state, reason, question };
}

function said({ role, turn, content, createdAt }: Msg) {
  return {
    role,
    turn,
    at: createdAt,
    text: content
      .map(blockText)
      .filter((text) => text !== '')
      .join('\n'),
  };
}

function blockText(block: Block): string {
  switch (block.type) {
    case 'text':
    case 'hint':
      return block.text;
    case 'tool_call':
      return `[calls ${block.name} ${block.arguments}]`;
    case 'tool_result':
      return `[${block.name}: ${block.state}] ${block.content.map(blockText).join('\n')}`;
    case 'data':
      return `[${block.name ?? block.mediaType}]`;
    default:
      return '';
  }
}

/** Errors of the client's making are results that a model reads. */
async function answer(work: () => Promise<object>): Promise<CallToolResult> {
  try {
    return { content: [{ type: 'text', text: JSON.stringify(await work(), null, 1) }] };
  } catch (error) {
    if (!(error instanceof DurascopeError)) throw error;
    return { isError: true, content: [{ type: 'text', text: `${error.code}: ${error.message}` }] };
  }
}

function agentName(agents: Access['agents']) {
  const names = agents.map(({ name }) => name);
  return names.length === 0 ? z.string().min(1).max(128) : z.enum(names as [string, ...string[]]);
}

function listed(agents: Access['agents']): string {
  if (agents.length === 0) return '';
  return ` The agents are:\n${agents.map(({ name, description }) => `- ${name}${description ? `: ${description}` : ''}`).join('\n')}`;
}
