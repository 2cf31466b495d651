import { assembleContext } from '../../src/activities/assemble-context.ts';
import { ContextCache } from '../../src/activities/context-cache.ts';
import type { ActivityDeps } from '../../src/activities/deps.ts';
import { createAgentRegistry } from '../../src/agents/agent-registry.ts';
import { createModelRegistry } from '../../src/model/registry.ts';
import type { CallModelInput } from '../../src/contracts/activities.ts';
import type { SessionRef } from '../../src/contracts/ids.ts';
import type { MsgDraft, SessionRecord, Store } from '../../src/store/store.ts';
import { openVault } from '../../src/store/vault.ts';
import { openWorkerScope } from '../../src/worker/worker-scope.ts';
import { usual } from '../support/agents.ts';
import type { Figure } from '../support/figure.ts';
import { median } from '../support/statistics.ts';

const turnsOf10k = 2500;
const equipped = {
  ...usual,
  hiddenTools: new Set<string>(),
  inactiveTools: new Map<string, string>(),
  additions: [],
  notices: [],
  silentSources: [],
};

/**
 * The context of the next model call of a session of 10,000 messages: as the default window of 128,000 tokens has it after that many
 * turns, and all of it, in a window that takes it. Cold is a worker that sees the session for the first time.
 */
export const contextAssembly: Figure = {
  name: 'context-assembly',
  async measure(stage) {
    const { store } = stage.content;
    const ref = { owner: 'bench', sessionId: stage.newName() };
    const turns = stage.isQuick ? 100 : turnsOf10k;
    await writeTurns(store, ref, turns);
    const session = await store.sessions.open(ref, usual.name);
    const rounds = stage.isQuick ? 1 : 9;
    const windowed = new Assembly(store, ref, turns, session, 128_000);
    const whole = new Assembly(store, ref, turns, session, 100_000_000);
    await windowed.settleWindow();
    const rows = [];
    for (const [name, assembly] of Object.entries({ 'its window': windowed, 'all of it': whole })) {
      const { cold, warm, sent, reads } = await assembly.measure(rounds);
      const about = `context of ${turns * 4} messages, ${name} (${sent} sent)`;
      rows.push(
        { figure: `${about}, cold`, unit: 'ms' as const, measured: cold, target: { atMost: 20 } },
        { figure: `${about}, warm`, unit: 'ms' as const, measured: warm, target: { atMost: 20 } },
        { figure: `store reads for it`, unit: 'reads' as const, measured: reads, target: { atMost: sent } },
      );
    }
    return rows;
  },
};

class Assembly {
  readonly #store: Store;
  readonly #input: CallModelInput;
  readonly #contextTokens: number;
  #session: SessionRecord;
  #reads = 0;

  constructor(store: Store, ref: SessionRef, turn: number, session: SessionRecord, contextTokens: number) {
    const count = () => (this.#reads += 1);
    this.#store = { ...store, messages: counting(store.messages, count) };
    this.#input = { ref, turn, agent: usual.name, step: 2, tools: 'auto', steers: [] };
    this.#session = session;
    this.#contextTokens = contextTokens;
  }

  /** Moves the context's start to where the turns before would have moved it. */
  async settleWindow(): Promise<void> {
    const { contextFrom } = await this.#assemble(this.#deps());
    this.#session = { ...this.#session, contextFrom };
  }

  async measure(rounds: number) {
    const cold: number[] = [];
    const warm: number[] = [];
    let sent = 0;
    let reads = 0;
    for (let round = 0; round < rounds; round += 1) {
      const deps = this.#deps();
      this.#reads = 0;
      const begin = performance.now();
      sent = (await this.#assemble(deps)).messages.length;
      const between = performance.now();
      reads = this.#reads;
      await this.#assemble(deps);
      cold.push(between - begin);
      warm.push(performance.now() - between);
    }
    return { cold: median(cold), warm: median(warm), sent, reads };
  }

  #assemble(deps: ActivityDeps) {
    return assembleContext(deps, this.#input, equipped, this.#session, {
      contextTokens: this.#contextTokens,
      isFresh: false,
    });
  }

  #deps(): ActivityDeps {
    return {
      store: this.#store,
      agents: createAgentRegistry([usual]),
      models: createModelRegistry(),
      contexts: new ContextCache(),
      lingerMs: 0,
      worker: openWorkerScope({ vault: openVault(this.#store.secrets), models: createModelRegistry() }),
      hasSearchAttributes: false,
    };
  }
}

function counting<T extends object>(port: T, count: () => void): T {
  return new Proxy(port, {
    get(target, name, receiver) {
      count();
      return Reflect.get(target, name, receiver) as unknown;
    },
  });
}

/** Four messages a turn: a question, a call, its result, an answer. */
async function writeTurns({ sessions, messages }: Store, ref: SessionRef, turns: number): Promise<void> {
  await sessions.open(ref, usual.name);
  const perWrite = 50;
  for (let first = 1; first <= turns; first += perWrite)
    await messages.append(
      ref,
      Array.from({ length: perWrite }, (_, place) => turnMessages(first + place)).flat(),
    );
}

function turnMessages(turn: number): MsgDraft[] {
  const shared = { turn, createdAt: new Date(0).toISOString() };
  const block = (text: string) => ({ type: 'text' as const, id: 'b0', text });
  const call = `call_${turn}`;
  return [
    {
      ...shared,
      id: `${turn}/input`,
      step: 0,
      role: 'user',
      content: [block('Where is my order? '.repeat(10))],
    },
    {
      ...shared,
      id: `${turn}/1`,
      step: 1,
      role: 'assistant',
      content: [{ type: 'tool_call', id: call, name: 'lookup', arguments: '{"n":1,"bytes":300}' }],
    },
    {
      ...shared,
      id: `${turn}/1/${call}`,
      step: 1,
      role: 'tool',
      content: [
        {
          type: 'tool_result',
          id: call,
          name: 'lookup',
          state: 'success',
          content: [block('shelf '.repeat(50))],
        },
      ],
    },
    {
      ...shared,
      id: `${turn}/2`,
      step: 2,
      role: 'assistant',
      content: [block('It is under way. '.repeat(20))],
    },
  ];
}
