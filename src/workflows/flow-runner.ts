// Workflow code: performs a flow. Imports contracts, core and @temporalio/workflow only.
import { ApplicationFailure, condition, isCancellation } from '@temporalio/workflow';
import type { TurnContent } from '../contracts/child-turns.ts';
import type { PipelineCarry, PipelineInput } from '../contracts/flow.ts';
import { failure } from '../contracts/failures.ts';
import { withRequesters, type Requesters } from '../core/approval.ts';
import { assertNever } from '../core/assert-never.ts';
import {
  holds,
  itemsTogether,
  oneLine,
  spread,
  textOf,
  textValue,
  together,
  trimmed,
  withPrompt,
  type FlowFailure,
  type FlowPart,
  type FlowValue,
  type ItemOutcome,
} from '../core/flow.ts';
import { listItems } from './activity-proxies.ts';
import { Hub } from './hub.ts';
import { runOwnTurn } from './run-turn.ts';
import { branch, fanOut, loop, parallel, pipeline } from './steps.ts';
import { requestersOf } from './turn-content.ts';

type Flow = PipelineInput['flow'];
type FlowOf<K extends Flow['kind']> = Extract<Flow, { kind: K }>;

const failureLength = 500;
const passed: FlowValue = { parts: [], failures: [] };

/**
 * Runs a flow and remembers what is done by its place: another run of the workflow goes on from there. A place is the path of numbers to
 * it, `1.2.17`.
 */
export class FlowRunner {
  readonly #input: PipelineInput;
  readonly #done: Map<string, FlowValue>;
  readonly failures: FlowFailure[] = [];
  /** Who has it asked, and who wrote into any of its turns: what they answered goes into others. */
  #requesters: Requesters;
  turns: number;
  running = 0;
  /** No turn begins: the workflow is about to continue as new. */
  isDraining = false;

  constructor(input: PipelineInput) {
    this.#input = input;
    this.#done = new Map(input.carry?.done);
    this.turns = input.carry?.turns ?? 0;
    this.#requesters = input.carry?.requesters ?? requestersOf(input.input, input.actor);
    for (const value of this.#done.values()) this.failures.push(...value.failures);
  }

  get carry(): PipelineCarry {
    return { done: [...this.#done], turns: this.turns, requesters: this.#requesters };
  }

  run(): Promise<FlowValue> {
    return this.#perform(this.#input.flow, '1', textValue(this.#input.input));
  }

  /** Performs a part of the flow, unless it is done already. */
  async #perform(flow: Flow, place: string, input: FlowValue): Promise<FlowValue> {
    const known = this.#done.get(place);
    if (known) return known;
    const value = await this.#begin(flow, place, input);
    if (flow.kind !== 'turn')
      for (const inner of this.#done.keys()) if (inner.startsWith(`${place}.`)) this.#done.delete(inner);
    this.#done.set(place, value);
    return value;
  }

  #begin(flow: Flow, place: string, input: FlowValue): Promise<FlowValue> {
    switch (flow.kind) {
      case 'turn':
        return this.#turn(flow, place, input);
      case 'pipeline':
        return pipeline(
          flow.steps.map((step, i) => (value: FlowValue) => this.#perform(step, `${place}.${i + 1}`, value)),
        )(input);
      case 'parallel':
        return this.#parallel(flow, place, input);
      case 'branch': {
        const { when, otherwise } = flow;
        return branch(
          (value: FlowValue) => holds(when, textOf(value)),
          (value) => this.#perform(flow.do, `${place}.1`, value),
          async (value) => (otherwise ? this.#perform(otherwise, `${place}.2`, value) : value),
        )(input);
      }
      case 'loop':
        return this.#loop(flow, place, input);
      case 'fan_out':
        return this.#fanOut(flow, place, input);
      case 'hub':
        return this.#hub(flow, place, input);
      default:
        return assertNever(flow);
    }
  }

  async #turn({ agent, prompt }: FlowOf<'turn'>, place: string, input: FlowValue): Promise<FlowValue> {
    const reply = await this.#say(agent, place, place, withPrompt(prompt, input));
    return { parts: [reply], failures: [] };
  }

  async #parallel({ branches }: FlowOf<'parallel'>, place: string, input: FlowValue): Promise<FlowValue> {
    const values = await parallel(
      branches.map(
        ({ flow }, i) =>
          (value: FlowValue) =>
            this.#perform(flow, `${place}.${i + 1}`, value),
      ),
    )(input);
    return together(branches.map(({ name }, i) => ({ name, value: values[i] ?? textValue('') })));
  }

  #loop({ body, until, limit }: FlowOf<'loop'>, place: string, input: FlowValue): Promise<FlowValue> {
    let round = 0;
    return loop(
      (value: FlowValue) => {
        round += 1;
        // Of rounds that were followed by another, nothing is needed any more.
        if (round > 2) this.#done.set(`${place}.${round - 2}`, passed);
        return this.#perform(body, `${place}.${round}`, value);
      },
      {
        limit,
        until: (value) => until !== undefined && value.parts.length > 0 && holds(until, textOf(value)),
      },
    )(input);
  }

  async #fanOut(flow: FlowOf<'fan_out'>, place: string, input: FlowValue): Promise<FlowValue> {
    const items = Array.isArray(flow.items)
      ? flow.items
      : await listItems({
          owner: this.#input.owner,
          id: this.#input.id,
          content: toContent(spread(input)),
          from: flow.items,
        });
    const session = this.#sessionAt(place);
    const outcomes = await fanOut((item: string, i) => this.#item(flow.body, `${place}.${i + 1}`, item), {
      concurrency: flow.concurrency,
    })(items);
    const known = outcomes.map((one): ItemOutcome => {
      if (!one.isDone) throw one.error;
      return one.value;
    });
    const failed = known.flatMap((one) => (one.isDone ? [] : [one.failure]));
    if (failed.length > 0 && failed.length === known.length)
      throw ApplicationFailure.nonRetryable(
        `All ${failed.length} items of the fan-out at ${place} failed, the first one: ${failed[0]?.message}`,
        failure.turnFailed,
      );
    return itemsTogether(session, items, known);
  }

  /** An item that failed is done too: it is not tried again by another run of the workflow. */
  async #item(body: Flow, place: string, item: string): Promise<ItemOutcome> {
    const lost = this.#lost(place);
    if (lost) return { isDone: false, failure: lost };
    try {
      const value = trimmed(await this.#perform(body, place, textValue(item)));
      this.#done.set(place, value);
      return { isDone: true, value };
    } catch (error) {
      if (isCancellation(error) || !(error instanceof ApplicationFailure)) throw error;
      const what = this.#sessionAt(place);
      const lost = { place, what, message: oneLine(error.message, failureLength) };
      this.failures.push(lost);
      this.#done.set(place, { parts: [], failures: [lost] });
      return { isDone: false, failure: lost };
    }
  }

  /** Why this item failed in an earlier run of the workflow. */
  #lost(place: string): FlowFailure | undefined {
    const known = this.#done.get(place);
    return known?.parts.length === 0 ? known.failures.find((one) => one.place === place) : undefined;
  }

  async #hub({ members, rounds, until }: FlowOf<'hub'>, place: string, input: FlowValue): Promise<FlowValue> {
    let said = 0;
    const hub = new Hub<FlowPart>(
      members.map(({ name }) => name),
      async (name, heard) => {
        said += 1;
        const at = `${place}.${said}`;
        const { agent } = members.find((member) => member.name === name) ?? { agent: name };
        const value = await this.#once(at, async () => {
          const reply = await this.#say(
            agent,
            `${place}.${name}`,
            at,
            spread({ parts: heard, failures: [] }),
          );
          return { parts: [{ ...reply, from: name }], failures: [] };
        });
        return value.parts[0] as FlowPart;
      },
    );
    for (const part of spread(input)) hub.announce(part);
    let last: FlowValue = input;
    for (let round = 1; round <= rounds; round += 1) {
      for (const { name } of members) {
        last = { parts: [await hub.turn(name)], failures: [] };
        if (until && holds(until, textOf(last))) return last;
      }
    }
    return last;
  }

  async #once(place: string, run: () => Promise<FlowValue>): Promise<FlowValue> {
    const known = this.#done.get(place);
    if (known) return known;
    const value = await run();
    this.#done.set(place, value);
    return value;
  }

  /** @param session the place that names the session; a member of a hub speaks in the same one again. */
  async #say(
    agent: string,
    session: string,
    place: string,
    parts: readonly FlowPart[],
  ): Promise<Extract<FlowPart, { type: 'reply' }>> {
    await condition(() => !this.isDraining);
    const { owner, id, permissionMode } = this.#input;
    this.running += 1;
    try {
      const { sessionId, messageId, text, isPartial, requesters } = await runOwnTurn({
        ref: { owner, sessionId: this.#sessionAt(session) },
        agent,
        inputId: `${id}/${place}`,
        content: toContent(parts),
        requesters: this.#requesters,
        summary: `${agent} ${place}`,
        ...(permissionMode === undefined ? {} : { permissionMode }),
      });
      this.turns += 1;
      this.#requesters = withRequesters(this.#requesters, requesters);
      return {
        type: 'reply',
        sessionId,
        messageId: messageId ?? '',
        text,
        ...(isPartial ? { isPartial } : {}),
      };
    } finally {
      this.running -= 1;
    }
  }

  #sessionAt(place: string): string {
    return `${this.#input.id}.${place}`;
  }
}

/** What is kept elsewhere goes by its place; all else as text. */
function toContent(parts: readonly FlowPart[]): TurnContent {
  return parts.flatMap((part): Exclude<TurnContent, string>[number][] => {
    if (part.type === 'items') return [];
    if (part.type === 'text') return [part];
    const { type, sessionId, messageId, text, isPartial, from } = part;
    if (messageId === '' || (isPartial !== true && from === undefined)) return [{ type: 'text', text }];
    return [{ type, sessionId, messageId, ...(from === undefined ? {} : { from }) }];
  });
}
