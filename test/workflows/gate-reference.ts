import { planBatches } from '../../src/core/tool-batch.ts';

/** A small model of a turn's gates, for the model-based test: what must be true of the real one after each action. */
export type ToolName = 'read' | 'put' | 'pay' | 'send' | 'fetch' | 'order';

export interface Proposal {
  tool: ToolName;
  key: string;
}

interface Kind {
  concurrencySafe: boolean;
  /** `allowed` by what it is or by a rule of its agent. */
  judged: 'allowed' | 'asking' | 'submitted';
  isExternal: boolean;
}

export const kinds: Record<ToolName, Kind> = {
  read: { concurrencySafe: true, judged: 'allowed', isExternal: false },
  put: { concurrencySafe: false, judged: 'allowed', isExternal: false },
  pay: { concurrencySafe: false, judged: 'asking', isExternal: false },
  send: { concurrencySafe: true, judged: 'asking', isExternal: false },
  fetch: { concurrencySafe: true, judged: 'submitted', isExternal: true },
  order: { concurrencySafe: false, judged: 'asking', isExternal: true },
};

/** The rule that is remembered with a call: the recipient for `send`, else the tool. */
export function ruleFor({ tool, key }: Proposal): string {
  return tool === 'send' ? `send(key=${key})` : tool;
}

export type ReferenceState = 'allowed' | 'asking' | 'held' | 'submitted' | 'success' | 'error' | 'denied';

interface Call extends Proposal {
  /** `step.index`. */
  place: string;
  state: ReferenceState;
  concurrencySafe: boolean;
}

/** What somebody does; places name calls, whatever their state. */
export type Action =
  | { kind: 'confirm'; places: string[]; decision: 'allow' | 'deny'; edit?: string; remember?: boolean }
  | { kind: 'external'; place: string; state: 'success' | 'error' }
  | { kind: 'denyPending' };

export class Reference {
  #steps: readonly Proposal[][];
  #step = 0;
  #calls: Call[] = [];
  #settled: Call[] = [];
  #rules = new Set<string>();

  constructor(steps: readonly Proposal[][]) {
    this.#steps = steps;
    this.advance();
  }

  clone(): Reference {
    const copy = new Reference([]);
    copy.#steps = this.#steps;
    copy.#step = this.#step;
    copy.#calls = this.#calls.map((call) => ({ ...call }));
    copy.#settled = this.#settled.map((call) => ({ ...call }));
    copy.#rules = new Set(this.#rules);
    return copy;
  }

  get hasEnded(): boolean {
    return this.#calls.length === 0 && this.#step >= this.#steps.length;
  }

  /** All calls so far with their states, and whether the turn has ended: two references are alike when this is. */
  get summary(): string {
    const calls = [...this.#settled, ...this.#calls].map(({ place, state }) => `${place} ${state}`);
    return [...calls, this.hasEnded ? 'ended' : 'waits'].join(', ');
  }

  /** Does what is asked where it fits, without going on from there; false where it does not fit. */
  apply(action: Action): boolean {
    switch (action.kind) {
      case 'denyPending':
        for (const call of this.#calls)
          if (call.state === 'asking' || call.state === 'held') call.state = 'denied';
        return true;
      case 'external': {
        const [call] = this.#at([action.place], 'submitted');
        if (call) call.state = action.state;
        return call !== undefined;
      }
      default:
        return this.#confirm(action);
    }
  }

  /** Judges siblings again, runs what may run, and lets the model propose, until the turn waits or has ended. */
  advance(): void {
    this.#settleSiblings();
    for (;;) {
      const batch = planBatches(this.#calls).find((calls) => !calls.every(isSettled));
      if (batch) {
        for (const call of batch) if (call.state === 'allowed') call.state = 'success';
        if (!batch.every(isSettled)) return;
        continue;
      }
      this.#settled.push(...this.#calls);
      this.#calls = [];
      const next = this.#steps[this.#step];
      if (!next) return;
      this.#step += 1;
      this.#propose(next);
    }
  }

  #confirm({ places, decision, edit, remember }: Extract<Action, { kind: 'confirm' }>): boolean {
    const calls = this.#at(places, 'asking');
    if (calls.length < places.length) return false;
    // An empty key is no valid argument.
    if (decision === 'allow' && edit === '') return false;
    for (const call of calls) {
      if (decision === 'allow' && remember) this.#rules.add(ruleFor(call));
      if (decision === 'deny') call.state = 'denied';
      else call.state = kinds[call.tool].isExternal ? 'submitted' : 'allowed';
    }
    return true;
  }

  #at(places: readonly string[], state: ReferenceState): Call[] {
    return this.#calls.filter((call) => places.includes(call.place) && call.state === state);
  }

  #propose(proposals: readonly Proposal[]): void {
    this.#calls = proposals.map((proposal, i) => ({
      ...proposal,
      place: `${this.#step}.${i}`,
      state: this.#judge(proposal),
      concurrencySafe: kinds[proposal.tool].concurrencySafe,
    }));
    for (const batch of planBatches(this.#calls)) {
      const asking = batch.filter(({ state }) => state === 'asking');
      for (const [i, call] of asking.entries())
        if (asking.slice(0, i).some((elder) => ruleFor(elder) === ruleFor(call))) call.state = 'held';
    }
  }

  #judge(proposal: Proposal): ReferenceState {
    const { judged, isExternal } = kinds[proposal.tool];
    if (judged !== 'asking' || !this.#rules.has(ruleFor(proposal))) return judged;
    return isExternal ? 'submitted' : 'allowed';
  }

  #settleSiblings(): void {
    for (const [i, call] of this.#calls.entries()) {
      if (call.state !== 'asking' && call.state !== 'held') continue;
      const judged = this.#judge(call);
      const elders = this.#calls.slice(0, i);
      if (judged !== 'asking') call.state = judged;
      else if (!elders.some((elder) => elder.state === 'asking' && ruleFor(elder) === ruleFor(call)))
        call.state = 'asking';
    }
  }
}

function isSettled({ state }: Call): boolean {
  return state === 'success' || state === 'error' || state === 'denied';
}

/** One of the ways in which actions that were done at once may have been taken one after the other. */
export interface Ordering {
  reference: Reference;
  /** Which of the actions fit, in the order in which they were given. */
  fitted: boolean[];
}

/** All of these ways. Between two actions the turn may have gone on, or not yet. */
export function orderings(start: Reference, actions: readonly Action[]): Ordering[] {
  const found: Ordering[] = [];
  const extend = (reference: Reference, left: readonly number[], fitted: boolean[]): void => {
    if (left.length === 0) {
      reference.advance();
      found.push({ reference, fitted });
      return;
    }
    for (const at of left) {
      for (const goesOn of left.length < actions.length ? [false, true] : [false]) {
        const next = reference.clone();
        if (goesOn) next.advance();
        const does = fitted.slice();
        does[at] = next.apply(actions[at]!);
        extend(
          next,
          left.filter((other) => other !== at),
          does,
        );
      }
    }
  };
  extend(
    start,
    actions.map((_, at) => at),
    [],
  );
  return found;
}
