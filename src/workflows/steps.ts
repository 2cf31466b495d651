// Workflow code: how steps are put together. Imports @temporalio/workflow only.
import { isCancellation, TemporalFailure } from '@temporalio/workflow';

/** One piece of work inside a workflow: `(input) => runTurn('writer', input, { owner })`, or several steps put together. */
export type Step<I, O> = (input: I) => Promise<O>;

/**
 * Steps in order: each gets what the one before it answered.
 *
 * @example const write = pipeline([draft, review, polish]); const text = await write('About whales');
 */
export function pipeline<A, B, C>(steps: readonly [Step<A, B>, Step<B, C>]): Step<A, C>;
export function pipeline<A, B, C, D>(steps: readonly [Step<A, B>, Step<B, C>, Step<C, D>]): Step<A, D>;
export function pipeline<A, B, C, D, E>(
  steps: readonly [Step<A, B>, Step<B, C>, Step<C, D>, Step<D, E>],
): Step<A, E>;
export function pipeline<T>(steps: readonly Step<T, T>[]): Step<T, T>;
export function pipeline(steps: readonly Step<unknown, unknown>[]): Step<unknown, unknown> {
  return async (input) => {
    let value = input;
    for (const step of steps) value = await step(value);
    return value;
  };
}

/** Steps side by side, each with the same input; answers in the order of the steps. When one fails, it fails, once all have ended. */
export function parallel<I, O>(steps: readonly Step<I, O>[]): Step<I, O[]> {
  return async (input) => {
    const outcomes = await Promise.allSettled(steps.map((step) => step(input)));
    return outcomes.map((outcome) => {
      if (outcome.status === 'rejected') throw outcome.reason;
      return outcome.value;
    });
  };
}

/** One of two steps, as `when` says of the input; without `otherwise` the input goes on as it is. */
export function branch<I, O>(
  when: (input: I) => boolean | Promise<boolean>,
  then: Step<I, O>,
  otherwise: Step<I, O>,
): Step<I, O>;
export function branch<I, O>(
  when: (input: I) => boolean | Promise<boolean>,
  then: Step<I, O>,
): Step<I, I | O>;
export function branch<I, O>(
  when: (input: I) => boolean | Promise<boolean>,
  then: Step<I, O>,
  otherwise?: Step<I, O>,
): Step<I, I | O> {
  return async (input) => {
    if (await when(input)) return then(input);
    return otherwise ? otherwise(input) : input;
  };
}

/**
 * A step again and again, each time with its own last answer, until `until` holds or it has run `limit` times: the last answer is the
 * answer either way.
 *
 * @param options.until asked after each round, with its answer and its number from 1.
 */
export function loop<T>(
  step: Step<T, T>,
  options: { limit: number; until: (answer: T, round: number) => boolean | Promise<boolean> },
): Step<T, T> {
  const { limit, until } = options;
  mustBeCount('limit', limit);
  return async (input) => {
    let value = input;
    for (let round = 1; round <= limit; round += 1) {
      value = await step(value);
      if (await until(value, round)) break;
    }
    return value;
  };
}

/** What became of one item of a fan-out. */
export type Fanned<O> = { isDone: true; value: O } | { isDone: false; error: Error };

/**
 * A step for each of many items, at most `concurrency` at a time. Outcomes are in the order of the items, and one that fails harms no
 * other. A cancelled workflow, and a mistake in the step's own code, end all of it.
 */
export function fanOut<I, O>(
  step: (item: I, index: number) => Promise<O>,
  options: { concurrency: number },
): Step<readonly I[], Fanned<O>[]> {
  const { concurrency } = options;
  mustBeCount('concurrency', concurrency);
  return async (items) => {
    const outcomes: Fanned<O>[] = [];
    let next = 0;
    const lane = async (): Promise<void> => {
      try {
        for (let index = next++; index < items.length; index = next++)
          outcomes[index] = await outcomeOfItem(() => step(items[index] as I, index));
      } catch (error) {
        next = items.length;
        throw error;
      }
    };
    await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, lane));
    return outcomes;
  };
}

async function outcomeOfItem<O>(run: () => Promise<O>): Promise<Fanned<O>> {
  try {
    return { isDone: true, value: await run() };
  } catch (error) {
    if (isCancellation(error) || !(error instanceof TemporalFailure)) throw error;
    return { isDone: false, error };
  }
}

function mustBeCount(name: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 1)
    throw new RangeError(`${name} is ${value}: it must be a whole number from 1`);
}
