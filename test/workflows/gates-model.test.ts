import { setTimeout as pause } from 'node:timers/promises';
import { Client, WorkflowNotFoundError } from '@temporalio/client';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { DurascopeError, type Session, type Turn } from '../../src/client/index.ts';
import { confirmSignal, externalResultSignal, steerSignal } from '../../src/contracts/messages.ts';
import { foldEvents } from '../../src/core/fold-events.ts';
import type { CallRecord } from '../../src/store/call-store.ts';
import { calls, says, type ScriptedCall } from '../../src/testing/index.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { readEvents } from '../support/read-events.ts';
import { startStack, type RunningWorker, type Stack } from '../support/stack.ts';
import {
  kinds,
  orderings,
  Reference,
  ruleFor,
  type Action,
  type Proposal,
  type ToolName,
} from './gate-reference.ts';

/** Repeats a run: GATES_SEED=… npx vitest run test/workflows/gates-model.test.ts */
const seed = Number(process.env['GATES_SEED'] ?? Date.now() % 2 ** 31);
const runs = 25;
const limitMs = 60_000;

const input = z.object({ key: z.string().min(1) });
let executed: { callId: string; key: string }[] = [];
const tools = (Object.keys(kinds) as ToolName[]).map((name) => {
  const { judged, isExternal, concurrencySafe } = kinds[name];
  return defineTool({
    name,
    description: name,
    input,
    concurrencySafe,
    readOnly: name === 'read',
    external: isExternal,
    suggestRules: ({ key }) => [
      { tool: name, behavior: 'allow', ...(name === 'send' ? { pattern: `key=${key}` } : {}) },
    ],
    ...(judged === 'asking' ? { permission: 'ask' as const } : {}),
    ...(isExternal
      ? {}
      : { execute: ({ key }: { key: string }, { callId }) => void executed.push({ callId, key }) }),
  });
});
const agent = defineAgent({
  name: 'clerk',
  model: 'openai/gpt-test',
  instructions: 'Be brief.',
  tools,
  permissions: { allow: ['put', 'fetch'] },
});

/** What somebody does next, its target still open: `pick` counts through the calls that wait, or through all of them. */
interface Deed {
  kind: 'confirm' | 'together' | 'external' | 'steer' | 'denyPending' | 'interrupt' | 'restart';
  pick: number;
  isAnyCall: boolean;
  decision: 'allow' | 'deny';
  edit: string | undefined;
  remember: boolean;
  state: 'success' | 'error';
  way: 'update' | 'signal' | 'twice';
}

const proposal = fc.record({
  tool: fc.constantFrom(...(Object.keys(kinds) as ToolName[])),
  key: fc.constantFrom('a', 'b'),
});
const deed: fc.Arbitrary<Deed> = fc.record({
  kind: fc.oneof(
    { weight: 10, arbitrary: fc.constant('confirm' as const) },
    { weight: 3, arbitrary: fc.constant('together' as const) },
    { weight: 5, arbitrary: fc.constant('external' as const) },
    { weight: 2, arbitrary: fc.constant('restart' as const) },
    { weight: 1, arbitrary: fc.constantFrom('steer' as const, 'denyPending' as const, 'interrupt' as const) },
  ),
  pick: fc.nat(11),
  isAnyCall: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true)),
  decision: fc.constantFrom('allow', 'allow', 'deny'),
  edit: fc.constantFrom(undefined, undefined, undefined, 'z', ''),
  remember: fc.boolean(),
  state: fc.constantFrom('success', 'error'),
  way: fc.constantFrom('update', 'update', 'signal', 'twice'),
});
const scenario = fc.record({
  steps: fc.array(fc.array(proposal, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 }),
  bursts: fc.array(fc.array(deed, { minLength: 1, maxLength: 3 }), { maxLength: 5 }),
});

let stack: Stack;
let worker: RunningWorker;
const scripts = new Map<string, readonly Proposal[][]>();
beforeAll(async () => {
  stack = await startStack({ agents: [agent], isStarted: false });
  worker = await stack.startWorker();
  stack.model.answers((request) => {
    const script = scripts.get(request.messages.find(({ role }) => role === 'user')?.text ?? '');
    const step = script?.[request.messages.filter(({ role }) => role === 'assistant').length];
    return step ? calls(step.map(({ tool, key }): ScriptedCall => [tool, { key }])) : says('Done.');
  });
});
afterAll(() => stack.stop());

/** One turn, what was done to it, and what the reference knows of it. */
class Play {
  readonly #session: Session;
  readonly #turn: Turn;
  #references: Reference[];
  #isInterrupted = false;
  #messages = 0;
  /** Leave that people gave: for calls, with the key that they put in its place, and by rules. */
  readonly #allowed = new Map<string, (string | undefined)[]>();
  readonly #remembered = new Set<string>();

  constructor(session: Session, turn: Turn, steps: readonly Proposal[][]) {
    this.#session = session;
    this.#turn = turn;
    this.#references = [new Reference(steps)];
  }

  get hasEnded(): boolean {
    return this.#isInterrupted || this.#references.every(({ hasEnded }) => hasEnded);
  }

  /** Does several things at once, and compares what comes of them with what may. */
  async burst(deeds: readonly Deed[]): Promise<void> {
    const records = await this.#records();
    const restarts = deeds.some(({ kind }) => kind === 'restart') ? restartWorker() : undefined;
    const acts = deeds.flatMap((one) => this.#toAct(one, records) ?? []);
    const fitted = await Promise.all(acts.map((act) => act.perform()));
    await restarts;
    const actions = acts.flatMap(({ action }) => action ?? []);
    const outcomes = fitted.filter((_, i) => acts[i]?.action);
    await this.#agree(actions, outcomes);
  }

  /** Whatever waits gets its answer, until nothing does. */
  async finish(): Promise<void> {
    while (!this.hasEnded) {
      const waiting = (await this.#records()).filter(
        ({ state }) => state === 'asking' || state === 'submitted',
      );
      expect(waiting, 'a turn that has not ended waits for somebody').not.toEqual([]);
      const [call] = waiting;
      const kind = call?.state === 'asking' ? 'confirm' : 'external';
      await this.burst([{ ...plainDeed, kind, pick: 0 }]);
    }
    await this.#turn.result({ until: 'end' });
    await this.#check();
  }

  /** Waits until the turn is as one of the orderings has it that agree with what was taken and what was refused. */
  async #agree(actions: readonly Action[], fitted: readonly (boolean | undefined)[]): Promise<void> {
    if (this.#isInterrupted) {
      await this.#turn.result({ until: 'end' });
      return;
    }
    const agreeing = this.#references
      .flatMap((reference) => orderings(reference, actions))
      .filter((ordering) => fitted.every((fits, i) => fits === undefined || fits === ordering.fitted[i]));
    const expected = new Map(agreeing.map(({ reference }) => [reference.summary, reference]));
    const deadline = Date.now() + 20_000;
    for (;;) {
      // A signal is taken in later: until then a turn may look like one of another ordering.
      const isAtRest = await this.#isAtRest();
      const observed = await this.#summary();
      const found = expected.get(observed);
      if (found && isAtRest) {
        this.#references = [found];
        return;
      }
      if (Date.now() > deadline)
        expect({ observed, fitted, actions }).toEqual({ observed: [...expected.keys()], fitted, actions });
      await pause(10);
    }
  }

  #toAct(
    one: Deed,
    records: readonly CallRecord[],
  ): { action?: Action; perform(): Promise<boolean | undefined> } | undefined {
    const waiting = records.filter(({ state }) => state === 'asking' || state === 'submitted');
    const pool = one.isAnyCall ? records : waiting;
    const target = pool[one.pick % Math.max(pool.length, 1)];
    const { workflow } = new Client({ connection: stack.connection });
    const handle = workflow.getHandle(this.#turn.id);
    switch (one.kind) {
      case 'restart':
        return undefined;
      case 'interrupt':
        this.#isInterrupted = true;
        return { perform: () => silently(this.#session.interrupt('enough')) };
      case 'steer':
      case 'denyPending': {
        this.#messages += 1;
        const steer = { id: `m${this.#messages}`, input: 'hurry', denyPending: one.kind === 'denyPending' };
        const perform = () => silently(handle.signal(steerSignal, steer));
        return one.kind === 'steer' ? { perform } : { action: { kind: 'denyPending' }, perform };
      }
      case 'external': {
        if (!target) return undefined;
        const { callId } = target;
        const action: Action = { kind: 'external', place: placeOf(target), state: one.state };
        const results = [{ callId, state: one.state, content: 'from outside' }];
        if (one.way === 'signal')
          return { action, perform: () => silently(handle.signal(externalResultSignal, { results })) };
        return { action, perform: () => fits(this.#session.submitExternalResults(results)) };
      }
      default:
        return this.#toConfirm(
          one,
          one.kind === 'together'
            ? waiting.filter(({ state }) => state === 'asking')
            : target
              ? [target]
              : [],
        );
    }
  }

  #toConfirm({ decision, kind, edit: anyEdit, remember: wants, way }: Deed, targets: readonly CallRecord[]) {
    if (targets.length === 0) return undefined;
    const edit = kind === 'confirm' && decision === 'allow' ? anyEdit : undefined;
    const remember = kind === 'confirm' && decision === 'allow' && wants;
    const action: Action = {
      kind: 'confirm',
      places: targets.map(placeOf),
      decision,
      remember,
      ...(edit === undefined ? {} : { edit }),
    };
    const results = targets.map(({ callId, suggestedRules = [] }) => ({
      callId,
      decision,
      ...(edit === undefined ? {} : { input: { key: edit } }),
      ...(remember ? { remember: suggestedRules } : {}),
    }));
    const granted = (isTaken: boolean | undefined) => {
      if (isTaken === false || decision === 'deny') return isTaken;
      for (const call of targets) {
        this.#allowed.set(call.callId, [...(this.#allowed.get(call.callId) ?? []), edit]);
        if (remember) this.#remembered.add(ruleFor(proposalOf(call)));
      }
      return isTaken;
    };
    const { workflow } = new Client({ connection: stack.connection });
    const confirm = (idempotencyKey?: string) =>
      fits(this.#session.confirm(results, idempotencyKey === undefined ? {} : { idempotencyKey }));
    if (way === 'signal' && kind === 'confirm')
      return {
        action,
        perform: async () =>
          granted(await silently(workflow.getHandle(this.#turn.id).signal(confirmSignal, { results }))),
      };
    if (way !== 'twice' || edit === '') return { action, perform: async () => granted(await confirm()) };
    this.#messages += 1;
    const id = `c${this.#messages}`;
    return {
      action,
      perform: async () => granted((await Promise.all([confirm(id), confirm(id)])).some(Boolean)),
    };
  }

  /** No call ran without leave or twice, and each came to exactly one result. */
  async #check(): Promise<void> {
    const records = await this.#records();
    for (const call of records) {
      const ran = executed.filter(({ callId }) => callId === call.callId);
      expect(ran.length, `${call.name} ran at most once`).toBeLessThanOrEqual(1);
      const { tool, key } = proposalOf(call);
      const { judged, isExternal } = kinds[tool];
      if (call.state === 'success' && !isExternal) expect(ran, `${tool} ran`).toHaveLength(1);
      if (call.state !== 'success' && call.state !== 'interrupted') expect(ran).toEqual([]);
      for (const { key: used } of ran) {
        const leaves = (this.#allowed.get(call.callId) ?? []).map((edit) => edit ?? key);
        if (judged === 'allowed' || this.#remembered.has(ruleFor({ tool, key }))) leaves.push(key);
        expect(leaves, `${tool} ran with what it had leave for`).toContain(used);
      }
    }
    const messages = (await this.#session.messages({ limit: 200 })).items;
    const results = messages.flatMap(({ content }) => content.filter(({ type }) => type === 'tool_result'));
    expect(results.map(({ id }) => id).toSorted((a, b) => a.localeCompare(b))).toEqual(
      records.map(({ callId }) => callId).toSorted((a, b) => a.localeCompare(b)),
    );
    const events = await readEvents(this.#turn.events());
    const folded = foldEvents(events);
    expect(folded).toEqual(messages.slice(0, folded.length));
  }

  /** Its workflow has nothing to do for now, or has ended. */
  async #isAtRest(): Promise<boolean> {
    const { workflow } = new Client({ connection: stack.connection });
    const { status, raw } = await workflow.getHandle(this.#turn.id).describe();
    const hasWork = raw.pendingWorkflowTask || (raw.pendingActivities ?? []).length > 0;
    return status.name !== 'RUNNING' || !hasWork;
  }

  async #summary(): Promise<string> {
    const { store } = stack.content;
    const ref = { owner: this.#session.owner, sessionId: this.#session.id };
    const states = (await this.#records()).map((call) => `${placeOf(call)} ${call.state}`);
    const turn = await store.turns.get(ref, this.#turn.turn);
    return [...states, turn?.state === 'ended' ? 'ended' : 'waits'].join(', ');
  }

  #records(): Promise<CallRecord[]> {
    const ref = { owner: this.#session.owner, sessionId: this.#session.id };
    return stack.content.store.calls.ofTurn(ref, this.#turn.turn);
  }
}

const plainDeed: Deed = {
  kind: 'confirm',
  pick: 0,
  isAnyCall: false,
  decision: 'allow',
  edit: undefined,
  remember: false,
  state: 'success',
  way: 'update',
};

function placeOf({ step, index }: CallRecord): string {
  return `${step}.${index}`;
}

/** As the model proposed it: a person may have edited the arguments since. */
function proposalOf({ name, suggestedRules, arguments: args }: CallRecord): Proposal {
  const pattern = suggestedRules?.[0]?.pattern;
  const { key } =
    pattern === undefined ? (JSON.parse(args) as { key: string }) : { key: pattern.slice('key='.length) };
  return { tool: name as ToolName, key };
}

/** Whether an answer was taken; only Durascope's own refusals count as one. */
async function fits(answering: Promise<void>): Promise<boolean> {
  try {
    await answering;
    return true;
  } catch (error) {
    if (error instanceof DurascopeError && ['conflict', 'unfit_answer', 'not_found'].includes(error.code))
      return false;
    throw error;
  }
}

/** A signal says nothing of what came of it; to a turn that has ended it can't be sent. */
async function silently(signalling: Promise<void>): Promise<undefined> {
  await signalling.catch((error: unknown) => {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  });
}

async function restartWorker(): Promise<void> {
  await worker.stop();
  worker = await stack.startWorker();
}

describe('a turn with gates', () => {
  let played = 0;
  it(
    `does what the reference does, whatever is done to it at once (seed ${seed})`,
    async () => {
      const property = fc.asyncProperty(scenario, async ({ steps, bursts }) => {
        played += 1;
        const text = `play ${played}`;
        scripts.set(text, steps);
        const session = stack.session(agent, `play-${played}`);
        const turn = await session.submit(text);
        await turn.result();
        const play = new Play(session, turn, steps);
        for (const deeds of bursts) if (!play.hasEnded) await play.burst(deeds);
        await play.finish();
      });
      await fc.assert(property, {
        seed,
        numRuns: runs,
        endOnFailure: true,
        interruptAfterTimeLimit: limitMs,
        markInterruptAsFailure: false,
      });
    },
    3 * limitMs,
  );
});
