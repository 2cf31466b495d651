import { z } from 'zod';
import type { Session, Turn } from '../../client/client.ts';
import { gateIdOf } from '../../core/asked-in-call.ts';
import { turnIdOf } from '../../contracts/ids.ts';
import { Id } from '../../schema/api-requests.ts';
import { actorOf } from '../actor.ts';
import { openTurn, streamUntilGone, toFrame, transcriptOf } from '../chat/conversation.ts';
import { readUiRequest, UiChatRequest, type UiNews } from '../chat/read-ui-request.ts';
import { UiChunks } from '../chat/ui-chunks.ts';
import { toUiMessages } from '../chat/ui-messages.ts';
import { untilPause } from '../chat/until-pause.ts';
import { requireScope, type Principal } from '../principal.ts';
import { Problem } from '../problem.ts';
import { defineRoute, type Call, type RouteContext } from '../route.ts';
import { mustBeAgent } from './sessions.ts';

/*
 * What the AI SDK's `useChat` speaks, with `api: '/v1/agents/AGENT/chat'`: a chat is a session, and the stream of an answer ends where the
 * turn waits or ends.
 */

const ofAgent = z.object({ agent: Id });
const ofChat = z.object({ agent: Id, chatId: Id });

const postChat = defineRoute({
  name: 'postChat',
  method: 'post',
  path: '/v1/agents/{agent}/chat',
  summary: "The AI SDK's useChat: send a message, or answer calls, and stream what comes of it",
  scope: 'run',
  params: ofAgent,
  body: UiChatRequest,
  status: 200,
  isStream: true,
  async handle(call, context) {
    const { client, limits } = context;
    const { owner, params, body } = call;
    mustBeAgent(params.agent, context);
    const id = Id.safeParse(body.id);
    if (!id.success) throw new Problem('invalid_input', `The id of the chat: ${id.error.issues[0]?.message}`);
    const session = client.session({ owner, id: id.data, agent: params.agent });
    const news = readUiRequest(body);
    if (news.kind === 'input') {
      const turn = await session.submit(news.input, {
        actor: actorOf({ ...call, body: {} }),
        idempotencyKey: news.id,
        mayBegin: () => limits.takeTurn(owner),
      });
      return stream(turn, turn.after, call);
    }
    return stream(...(await answer(session, news, call.principal)), call);
  },
});

const resumeChat = defineRoute({
  name: 'resumeChat',
  method: 'get',
  path: '/v1/agents/{agent}/chat/{chatId}/stream',
  summary: 'The answer of the turn that runs or waits, from its beginning; 204 when none does',
  scope: 'read',
  params: ofChat,
  status: 200,
  isStream: true,
  async handle(call, context) {
    const turn = await openTurn(sessionOf(call, context));
    return turn ? stream(turn, turn.after, call) : new Response(null, { status: 204 });
  },
});

const chatMessages = defineRoute({
  name: 'chatMessages',
  method: 'get',
  path: '/v1/agents/{agent}/chat/{chatId}/messages',
  summary:
    "The conversation as useChat's initial messages; the answer of a turn that runs comes with its stream",
  scope: 'read',
  params: ofChat,
  status: 200,
  answer: z.object({ messages: z.array(z.unknown()) }),
  async handle(call, context) {
    const session = sessionOf(call, context);
    const ref = { owner: call.owner, sessionId: call.params.chatId };
    const open = await openTurn(session);
    const ended = (await transcriptOf(session)).filter(
      ({ turn, role }) => turn !== open?.turn || role === 'user',
    );
    return { messages: toUiMessages(ended, (turn) => turnIdOf(ref, turn)) };
  },
});

export const uiChatRoutes = [postChat, resumeChat, chatMessages];

function sessionOf(
  { owner, params }: Call<z.output<typeof ofChat>, unknown, unknown>,
  { client }: RouteContext,
): Session {
  return client.session({ owner, id: params.chatId, agent: params.agent });
}

/**
 * Gives the answers that are still waited for. A page sends all that it knows, again and again: what was answered before is no news.
 *
 * @throws Problem `missing_scope`, `conflict` when the session waits for none of this.
 */
async function answer(
  session: Session,
  { confirmations, results }: Extract<UiNews, { kind: 'answers' }>,
  principal: Principal,
): Promise<[turn: Turn, after: number]> {
  const details = await session.get();
  const turn = await openTurn(session);
  if (!details || !turn)
    throw new Problem('conflict', 'No turn waits for an answer: read the messages again');
  const waiting = (state: string) =>
    new Set(details.pending.filter((call) => call.state === state).map(({ callId }) => callId));
  const [asking, submitted] = [waiting('asking'), waiting('submitted')];
  const questions = new Set(details.pending.map(({ callId, question }) => gateIdOf(callId, question?.id)));
  const decisions = confirmations.filter(
    ({ callId, questionId }) =>
      asking.has(callId) && (questionId === undefined || questions.has(gateIdOf(callId, questionId))),
  );
  const outputs = results.filter(({ callId }) => submitted.has(callId));
  const options = { actor: { id: principal.id, roles: principal.roles } };
  if (decisions.length > 0) {
    requireScope(principal, 'approve');
    await session.confirm(decisions, options);
  }
  if (outputs.length > 0) await session.submitExternalResults(outputs, options);
  return [turn, details.lastEventId];
}

function stream(turn: Turn, after: number, { signal }: { signal: AbortSignal }): Response {
  return streamUntilGone(signal, (until) => frames(turn, after, until), {
    'x-vercel-ai-ui-message-stream': 'v1',
  });
}

async function* frames(
  turn: Turn,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<{ text: string }, void, void> {
  const chunks = new UiChunks();
  yield toFrame(chunks.start(turn.id));
  for await (const event of untilPause(turn, after, signal)) {
    const made = chunks.push(event);
    if (made.length > 0) yield toFrame(made);
  }
  yield { text: 'data: [DONE]\n\n' };
}
