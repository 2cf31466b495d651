import type { Agent } from '../agents/agent.ts';
import type { AnswerGatesInput, GateAnswer, GateOutcome, OpenGatesInput } from '../contracts/activities.ts';
import type { EventBody, GateCall } from '../schema/event.ts';
import { InputPart } from '../schema/message.ts';
import type { CallRecord } from '../store/store.ts';
import { checkArguments } from '../tools/parse-arguments.ts';
import type { ToolPart } from '../tools/tool.ts';
import type { ActivityDeps } from './deps.ts';
import { resultMessage, textOutcome } from './result-message.ts';
import { waitingForStore } from './sessions.ts';

/** Tells observers what waits; with `pause` set, that the run ends until an answer comes. */
export async function openGates({ store }: ActivityDeps, input: OpenGatesInput): Promise<void> {
  const { ref, turn, run, callIds, pause } = input;
  await waitingForStore(async () => {
    const records = (await store.calls.ofTurn(ref, turn)).filter(({ callId }) => callIds.includes(callId));
    const waiting = (state: CallRecord['state']) =>
      records.filter((record) => record.state === state).map(toGateCall);
    const requires: EventBody[] = [
      { kind: 'require_user_confirm' as const, calls: waiting('asking') },
      { kind: 'require_external_execution' as const, calls: waiting('submitted') },
      { kind: 'require_reconciliation' as const, calls: waiting('uncertain') },
    ].filter(({ calls }) => calls.length > 0);
    if (pause)
      await store.turns.setState(ref, turn, 'waiting', [
        ...requires,
        { kind: 'run_end', run, reason: pause },
      ]);
    else await store.events.appendDurable(ref, turn, requires);
  });
}

/** Commits each answer to its call, in order. An answer that does not fit is refused with the reason, and its call waits on. */
export async function answerGates(deps: ActivityDeps, input: AnswerGatesInput): Promise<GateOutcome[]> {
  const { store, agents } = deps;
  const { ref, turn, answers, waiting, nextRun } = input;
  return waitingForStore(async () => {
    const agent = agents.get(input.agent);
    const outcomes: GateOutcome[] = [];
    for (const answer of answers) outcomes.push(await answerGate(deps, input, agent, answer));
    const taken = outcomes.filter(({ rejected }) => rejected === undefined);
    const isOver = waiting.every((callId) => taken.some((outcome) => outcome.callId === callId));
    const canRun = taken.some(({ state }) => state === 'allowed');
    if (isOver || canRun)
      await store.turns.setState(ref, turn, 'running', [{ kind: 'run_start', run: nextRun }]);
    return outcomes;
  });
}

async function answerGate(
  { store }: ActivityDeps,
  { ref }: AnswerGatesInput,
  agent: Agent,
  given: GateAnswer,
): Promise<GateOutcome> {
  const { callId } = given.answer;
  const call = await store.calls.get(ref, callId);
  if (!call) return { callId, state: 'error', rejected: `there is no call ${callId}` };
  const settle = async (outcome: Parameters<typeof resultMessage>[1], answered: EventBody) =>
    toOutcome(await store.calls.settle(ref, callId, resultMessage(call, outcome), { events: [answered] }));
  const move = async (change: Parameters<typeof store.calls.move>[2], answered: EventBody) =>
    toOutcome(await store.calls.move(ref, callId, change, [answered]));
  const actor = given.actor === undefined ? {} : { actor: given.actor };

  switch (given.kind) {
    case 'confirm': {
      const { decision, reason, input: edited } = given.answer;
      const answered = {
        kind: 'gate_answered' as const,
        callId,
        ...actor,
        ...(reason === undefined ? {} : { reason }),
      };
      if (decision === 'deny')
        return settle(textOutcome('denied', denial(call, reason)), { ...answered, answer: 'deny' });
      const tool = agent.toolByName.get(call.name);
      if (edited !== undefined && tool) {
        const checked = await checkArguments(edited, tool);
        if (!checked.ok) return { callId, state: call.state, rejected: checked.message };
      }
      return move(
        {
          state: tool?.isExternal ? 'submitted' : 'allowed',
          ...(edited === undefined ? {} : { arguments: JSON.stringify(edited) }),
        },
        { ...answered, answer: 'allow' },
      );
    }
    case 'external': {
      const { state, content } = given.answer;
      const parts = InputPart.array().safeParse(
        typeof content === 'string' ? [{ type: 'text', text: content }] : content,
      );
      if (!parts.success)
        return { callId, state: call.state, rejected: 'content must be a text or a list of parts' };
      return settle(
        { state, parts: parts.data as ToolPart[] },
        { kind: 'gate_answered', callId, ...actor, answer: 'external_result' },
      );
    }
    default: {
      const { outcome, content, reason } = given.answer;
      const answered = { kind: 'gate_answered' as const, callId, ...actor, answer: outcome, reason };
      // What did not happen may be tried: the call goes back to where it was before it was begun.
      if (outcome === 'did_not_happen')
        return move({ state: 'allowed', isDispatched: false, reason }, answered);
      return settle(
        textOutcome('success', content ?? `It was confirmed afterwards that this happened: ${reason}`),
        answered,
      );
    }
  }
}

function denial(call: CallRecord, reason: string | undefined): string {
  return reason === undefined ? `${call.name} was denied.` : `${call.name} was denied: ${reason}`;
}

function toGateCall({ callId, name, arguments: args, reason }: CallRecord): GateCall {
  return { callId, name, arguments: args, ...(reason === undefined ? {} : { reason }) };
}

function toOutcome({ callId, state, reason }: CallRecord): GateOutcome {
  return { callId, state, ...(reason === undefined ? {} : { reason }) };
}
