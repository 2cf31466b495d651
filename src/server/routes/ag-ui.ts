import { z } from 'zod';
import type { PendingCall, Session, Turn, TurnDetails } from '../../client/client.ts';
import { steerMessageId } from '../../core/message-ids.ts';
import { Id } from '../../schema/api-requests.ts';
import type { InputPart, Json, Msg } from '../../schema/message.ts';
import { actorOf } from '../actor.ts';
import { takeAnswers } from '../ag-ui/take-answers.ts';
import { toInterrupt } from '../ag-ui/interrupts.ts';
import { toAgUiMessages, toContent, type AgUiMessage } from '../ag-ui/ag-ui-messages.ts';
import { AgUiRequest, readInput } from '../ag-ui/ag-ui-request.ts';
import { AgUiRun } from '../ag-ui/ag-ui-run.ts';
import { openTurn, pageSize, streamUntilGone, toFrame, transcriptOf } from '../chat/conversation.ts';
import { GateWatch, untilPause } from '../chat/until-pause.ts';
import { Problem, toProblem } from '../problem.ts';
import { defineRoute, type Call, type RouteContext } from '../route.ts';

/*
 * What AG-UI clients speak: a thread is a session, and a run is the answer to one request. It ends where the turn waits or ends, and the
 * next one goes on from there; one that brings no news only looks on.
 */

const ofAgent = z.object({ agent: Id });
type RunCall = Call<z.output<typeof ofAgent>, undefined, AgUiRequest>;

const runAgent = defineRoute({
  name: 'runAgUi',
  method: 'post',
  path: '/v1/agents/{agent}/ag-ui',
  summary: 'AG-UI: send a message, answer interrupts, or look on, and stream the run',
  scope: 'run',
  params: ofAgent,
  body: AgUiRequest,
  status: 200,
  isStream: true,
  async handle(call, context) {
    const { owner, params, body } = call;
    checkTools(body, params.agent, context);
    const session = context.client.session({ owner, id: body.threadId, agent: params.agent });
    const input = readInput(body);
    const before = await session.get();
    if (before && before.agent !== params.agent)
      throw new Problem('conflict', `Thread ${body.threadId} belongs to the agent ${before.agent}`);
    await takeAnswers({ request: body, session, before, principal: call.principal, client: context.client });
    const turn = await turnOf(call, context, session, input);
    const known = await transcriptOf(session);
    const idOf = await idsOfUsers(session, turn, input?.id);
    const messages = toAgUiMessages(known, idOf);
    // The session may not have begun its turn yet, and the client would drop what the snapshot does not have.
    if (input && messages.every(({ id }) => id !== input.id)) messages.push(toMessage(input));
    const run = new AgUiRun({
      threadId: body.threadId,
      runId: body.runId,
      messages,
      known: known.map(({ id }) => id),
      idOf,
      since: before?.lastEventId ?? 0,
      tasks: (await session.get())?.tasks ?? [],
      state: (body.state ?? null) as Json,
      reasoning: body.messages.filter(({ role }) => role === 'reasoning').map(({ id }) => id),
    });
    const frontend = new Set((body.tools ?? []).map(({ name }) => name));
    return streamUntilGone(call.signal, (signal) => frames({ run, session, turn, frontend, signal }));
  },
});

export const agUiRoutes = [runAgent];

/** A page's tools are external tools of the agent. @throws Problem `not_found`, `invalid_input` */
function checkTools({ tools }: AgUiRequest, name: string, { agents }: RouteContext): void {
  if (!agents) return;
  const agent = agents().find((one) => one.name === name);
  if (!agent)
    throw new Problem('not_found', `There is no agent ${name}: GET /v1/agents lists those that there are`);
  if (!tools) return;
  const external = new Set(agent.tools.filter(({ isExternal }) => isExternal).map((tool) => tool.name));
  const foreign = tools.find((tool) => !external.has(tool.name));
  if (foreign)
    throw new Problem(
      'invalid_input',
      `The agent ${name} has no external tool ${foreign.name}: define it there with external: true, or leave it out of tools`,
    );
}

/** The turn that the input becomes, or goes into; without one, the turn that runs or waits. */
async function turnOf(
  call: RunCall,
  { limits }: RouteContext,
  session: Session,
  said: { id: string; input: InputPart[] } | undefined,
): Promise<Turn | undefined> {
  if (!said) return openTurn(session);
  const isResuming = (call.body.resume ?? []).length > 0;
  const turn = await session.submit(said.input, {
    actor: actorOf({ ...call, body: {} }),
    idempotencyKey: said.id,
    mayBegin: () => limits.takeTurn(call.owner),
    // What is written beside an answer is for the turn that was waiting for it.
    ...(isResuming ? { ifBusy: 'steer' } : {}),
  });
  // The client may not know that the conversation has gone on.
  return turn.status === 'repeated' ? ((await openTurn(session)) ?? turn) : turn;
}

/** Clients reconcile by id: a user's message is known by the id that its client gave it. */
async function idsOfUsers(
  session: Session,
  turn: Turn | undefined,
  inputId: string | undefined,
): Promise<(msg: Msg) => string> {
  const ids = new Map<number, string>();
  for (let cursor: string | undefined; ;) {
    const page = await session.turns({ limit: pageSize, ...(cursor === undefined ? {} : { cursor }) });
    for (const record of page.items) ids.set(record.turn, record.inputId);
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  if (turn && inputId !== undefined && turn.status !== 'steered' && !ids.has(turn.turn))
    ids.set(turn.turn, inputId);
  return ({ id, turn: of }) => {
    const steer = steerMessageId(of, '');
    return id.startsWith(steer) ? id.slice(steer.length) : (ids.get(of) ?? id);
  };
}

function toMessage({ id, input }: { id: string; input: InputPart[] }): AgUiMessage {
  const blocks = input.map((part, index) => ({ id: String(index), ...part }));
  return { id, role: 'user', content: toContent(blocks) };
}

interface Answer {
  run: AgUiRun;
  session: Session;
  /** Absent: nothing runs or waits. */
  turn: Turn | undefined;
  /** Names of the tools that the page runs. */
  frontend: ReadonlySet<string>;
  signal: AbortSignal;
}

async function* frames(answer: Answer): AsyncGenerator<{ text: string }, void, void> {
  const { run, session, turn, frontend, signal } = answer;
  yield toFrame(run.start());
  try {
    const gates = new GateWatch();
    if (turn)
      for await (const event of untilPause(turn, turn.after, signal, (...at) => gates.hasPaused(...at))) {
        const made = run.push(event);
        if (made.length > 0) yield toFrame(made);
      }
    if (signal.aborted) {
      yield toFrame(run.fail('draining', 'The server is going away: run the agent again to go on'));
      return;
    }
    // With no turn of its own, a session may still have calls that wait below it.
    const pending = turn ? gates.pending : ((await session.get())?.pending ?? []);
    const details = run.hasEnded ? await turn?.get() : undefined;
    yield toFrame(run.finish(endOf(pending, details, frontend, session.owner)));
  } catch (error) {
    const { code, message } = toProblem(error);
    yield toFrame(run.fail(code, message));
  }
}

function endOf(
  pending: readonly PendingCall[],
  details: TurnDetails | undefined,
  frontend: ReadonlySet<string>,
  owner: string,
) {
  const isFrontend = ({ name, state, path }: PendingCall) =>
    state === 'submitted' && path === undefined && frontend.has(name);
  return {
    interrupts: pending.filter((call) => !isFrontend(call)).map((call) => toInterrupt(call, owner)),
    frontendCalls: pending.filter(isFrontend),
    ...(details?.output === undefined ? {} : { output: details.output }),
  };
}
