import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runTool, type RunHooks } from '../../src/tools/run-tool.ts';
import type { Tool, ToolContext, ToolOutcome } from '../../src/tools/tool.ts';
import { aCall, aTool } from './a-tool.ts';

type Execute = Tool['execute'];

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function run(tool: Tool, hooks: Partial<RunHooks> = {}, call = aCall()): Promise<ToolOutcome> {
  return runTool(tool, {}, call, {
    onText: () => undefined,
    onProgress: () => undefined,
    ...hooks,
  });
}

function aSignal() {
  let give = () => undefined as void;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give: () => give() };
}

/** Never settles, and looks at no signal. */
const hangs: Execute = () => new Promise(() => undefined);

function textOf(outcome: ToolOutcome): string {
  return outcome.parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

describe('runTool', () => {
  it('hands the call to execute, and its progress to the observers', async () => {
    let seen: ToolContext | undefined;
    const onProgress = vi.fn();
    const tool = aTool({
      execute: async (_, context) => {
        seen = context;
        context.progress({ message: 'half', fraction: 0.5 });
      },
    });
    await run(tool, { onProgress });
    expect(seen).toMatchObject({ callId: 'c1', idempotencyKey: 'k1', attempt: 1, preset: {} });
    expect(onProgress).toHaveBeenCalledExactlyOnceWith({ message: 'half', fraction: 0.5 });
  });

  it('streams what a generator yields, and puts the rest behind it', async () => {
    const onText = vi.fn();
    const tool = aTool({
      async *execute() {
        yield 'two ';
        yield 'orders';
        return ' found';
      },
    });
    expect(await run(tool, { onText })).toEqual({
      state: 'success',
      parts: [{ type: 'text', text: 'two orders found' }],
    });
    expect(onText.mock.calls).toEqual([['two '], ['orders']]);
  });

  it('takes a generator that an async function returns', async () => {
    async function* lines() {
      yield 'a';
      return { total: 1 };
    }
    expect(await run(aTool({ execute: async () => lines() }))).toMatchObject({
      parts: [{ text: 'a' }, { text: '{"total":1}' }],
    });
  });

  it('tells the model of what was thrown, with its causes and without a stack', async () => {
    const fails = (thrown: unknown) => run(aTool({ execute: () => Promise.reject(thrown) }));
    const outcome = await fails(new Error('fetch failed', { cause: new Error('connect ECONNREFUSED') }));
    expect(outcome.state).toBe('error');
    expect(textOf(outcome)).toContain('refund_order failed: fetch failed, because: connect ECONNREFUSED');
    expect(textOf(outcome)).not.toContain('    at ');
    expect(textOf(await fails('out of stock'))).toContain('failed: out of stock');
    expect(textOf(await fails({ code: 7 }))).toContain('failed: {"code":7}');
    expect(textOf(await fails(undefined))).toContain('failed: ');
  });

  it('takes what is thrown before the first await, or yielded and no text, for a failure like any other', async () => {
    const throwsAtOnce = aTool({
      execute: () => {
        throw new Error('no such order');
      },
    });
    expect(textOf(await run(throwsAtOnce))).toContain('no such order');
    const yieldsNumbers = aTool({
      async *execute() {
        yield 7 as unknown as string;
      },
    });
    expect(textOf(await run(yieldsNumbers))).toContain('it yielded a number: yield text');
  });
});

describe('the time limit of a tool', () => {
  it('aborts its signal, and gives up on one that ignores it', async () => {
    let signal: AbortSignal | undefined;
    const outcome = run(
      aTool({
        timeoutMs: 5_000,
        execute: (_, context) => {
          signal = context.signal;
          return hangs(_, context);
        },
      }),
    );
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await outcome).toMatchObject({ state: 'error' });
    expect(textOf(await outcome)).toContain('did not finish within its limit of 5 s');
    expect(textOf(await outcome)).toContain('may have taken effect');
    expect(signal?.reason).toMatchObject({ name: 'TimeoutError' });
  });

  it('raises no fear of an effect when the tool only reads', async () => {
    const outcome = run(aTool({ isReadOnly: () => true, execute: hangs }));
    await vi.runAllTimersAsync();
    expect(textOf(await outcome)).not.toContain('effect');
  });

  it('holds for a generator that hangs between two pieces, and closes it', async () => {
    const outcome = run(
      aTool({
        async *execute(_, { signal }) {
          yield 'a';
          await new Promise((_resolve, reject) =>
            signal.addEventListener('abort', () => reject(new Error('late'))),
          );
        },
      }),
    );
    await vi.runAllTimersAsync();
    expect(textOf(await outcome)).toContain('did not finish');
  });

  it('closes a generator that goes on after it', async () => {
    const steps: string[] = [];
    const goOn = aSignal();
    const closed = aSignal();
    const outcome = run(
      aTool({
        async *execute() {
          try {
            await goOn.given;
            steps.push('woke');
            yield 'late';
            steps.push('went on');
          } finally {
            closed.give();
          }
        },
      }),
    );
    await vi.runAllTimersAsync();
    await outcome;
    goOn.give();
    await closed.given;
    expect(steps).toEqual(['woke']);
  });

  it('covers all attempts together', async () => {
    const execute = vi.fn<Execute>(() => Promise.reject(new Error('busy')));
    const outcome = run(aTool({ isIdempotent: true, maxAttempts: 100, timeoutMs: 1_000, execute }));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(textOf(await outcome)).toContain('did not finish within its limit of 1 s');
    expect(execute.mock.calls.length).toBeLessThan(10);
  });

  it('leaves no timer behind', async () => {
    await run(aTool());
    expect(vi.getTimerCount()).toBe(0);
  });

  it('silences a tool that goes on after it', async () => {
    let late: ToolContext | undefined;
    const onProgress = vi.fn();
    const outcome = run(
      aTool({
        execute: (_, context) => {
          late = context;
          return hangs(_, context);
        },
      }),
      { onProgress },
    );
    await vi.runAllTimersAsync();
    await outcome;
    late?.progress({ message: 'still here' });
    expect(onProgress).not.toHaveBeenCalled();
  });
});

describe('an abort from outside', () => {
  it('rejects with its reason, whatever the tool does', async () => {
    const controller = new AbortController();
    const outcome = run(aTool({ execute: hangs }), {}, aCall({ signal: controller.signal }));
    const reason = new Error('the user left');
    controller.abort(reason);
    await expect(outcome).rejects.toBe(reason);
  });

  it('rejects with its reason when the tool throws something else because of it', async () => {
    const controller = new AbortController();
    const reason = new Error('the user left');
    const tool = aTool({
      isIdempotent: true,
      maxAttempts: 3,
      execute: async () => {
        controller.abort(reason);
        throw new Error('socket closed');
      },
    });
    await expect(run(tool, {}, aCall({ signal: controller.signal }))).rejects.toBe(reason);
  });

  it('ends the pause before the next attempt', async () => {
    const controller = new AbortController();
    const execute = vi.fn<Execute>(() => Promise.reject(new Error('busy')));
    const outcome = run(
      aTool({ isIdempotent: true, maxAttempts: 3, execute }),
      {},
      aCall({ signal: controller.signal }),
    );
    const settled = expect(outcome).rejects.toThrow('the user left');
    await vi.advanceTimersByTimeAsync(50);
    controller.abort(new Error('the user left'));
    await settled;
    expect(execute).toHaveBeenCalledOnce();
  });

  it('keeps the tool from starting when it came before', async () => {
    const execute = vi.fn<Execute>();
    const call = aCall({ signal: AbortSignal.abort(new Error('too late')) });
    await expect(run(aTool({ execute }), {}, call)).rejects.toThrow('too late');
    expect(execute).not.toHaveBeenCalled();
  });
});

describe('the retry of a throwing tool', () => {
  it('goes on until it succeeds, and counts the attempts on', async () => {
    const attempts: number[] = [];
    const outcome = run(
      aTool({
        isIdempotent: true,
        maxAttempts: 3,
        execute: async (_, { attempt }) => {
          attempts.push(attempt);
          if (attempts.length < 3) throw new Error('busy');
          return 'ok';
        },
      }),
      {},
      aCall({ attempt: 2 }),
    );
    await vi.runAllTimersAsync();
    expect(await outcome).toMatchObject({ state: 'success' });
    expect(attempts).toEqual([2, 3, 4]);
  });

  it('ends with the last error', async () => {
    let count = 0;
    const outcome = run(
      aTool({
        isReadOnly: () => true,
        maxAttempts: 2,
        execute: () => Promise.reject(new Error(`no. ${(count += 1)}`)),
      }),
    );
    await vi.runAllTimersAsync();
    expect(textOf(await outcome)).toContain('no. 2');
  });

  it('never happens to a call that may have acted, whatever the tool says of its attempts', async () => {
    const execute = vi.fn<Execute>(() => Promise.reject(new Error('busy')));
    await run(aTool({ maxAttempts: 5, execute }));
    expect(execute).toHaveBeenCalledOnce();
  });

  it('never follows a result that cannot be shown', async () => {
    const execute = vi.fn<Execute>(async () => 1n);
    await run(aTool({ isIdempotent: true, maxAttempts: 5, execute }));
    expect(execute).toHaveBeenCalledOnce();
  });
});
