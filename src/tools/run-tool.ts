import type { AskPerson, CallContext, Tool, ToolContext, ToolOutcome, ToolProgress } from './tool.ts';
import { orAbort } from './or-abort.ts';
import { OutcomeUnknownError } from './outcome-unknown.ts';
import { timeLimit } from './time-limit.ts';
import { errorOutcome, toolFailed, toolTimedOut } from './tool-errors.ts';
import { streamedText, toOutcome } from './tool-result.ts';

export interface RunHooks {
  /** A piece of the result, while the tool still runs. */
  onText: (delta: string) => void;
  onProgress: (update: ToolProgress) => void;
  /** Asks a person; absent: nobody is there. The tool's time limit stands still meanwhile. */
  onAsk?: AskPerson;
  onSpend?: ToolContext['spend'];
}

/**
 * Runs one call to its outcome; a failure of the tool is an outcome too. Retries a throwing tool where it may, within its one time limit.
 * After it has settled it calls no hook, even when a tool that ignores its signal goes on.
 *
 * @throws the reason of `context.signal` when that aborts: what this means is for the caller to say; OutcomeUnknownError of a call that may
 *   not run again.
 */
export async function runTool(
  tool: Tool,
  input: unknown,
  context: CallContext,
  hooks: RunHooks,
): Promise<ToolOutcome> {
  context.signal.throwIfAborted();
  const limit = timeLimit(tool.timeoutMs);
  const signal = AbortSignal.any([context.signal, limit.signal]);
  const mayRepeat = tool.isIdempotent || tool.isReadOnly(input);
  const attempts = mayRepeat ? tool.maxAttempts : 1;
  let waitLeftMs = tool.waitMs ?? 0;
  const ask: AskPerson = (question, { waitMs }) =>
    limit.pauseFor(async () => {
      const beganAt = performance.now();
      try {
        return waitLeftMs <= 0 || !hooks.onAsk
          ? ({ kind: 'nobody' } as const)
          : await hooks.onAsk(question, { waitMs: Math.min(waitMs, waitLeftMs) });
      } finally {
        waitLeftMs -= performance.now() - beganAt;
      }
    });
  const audience = audienceOf(hooks);
  try {
    for (let attempt = 1; ; attempt += 1) {
      try {
        if (attempt > 1) await pause(backoffMs(attempt), signal);
        const toolContext = {
          ...context,
          signal,
          attempt: context.attempt + attempt - 1,
          progress: audience.onProgress,
          spend: hooks.onSpend ?? (() => undefined),
          ask,
          preset: {},
        };
        return await execute(tool, input, toolContext, audience.onText);
      } catch (error) {
        context.signal.throwIfAborted();
        if (limit.signal.aborted) return errorOutcome(toolTimedOut(tool, input));
        if (error instanceof OutcomeUnknownError && !mayRepeat) throw error;
        if (attempt >= attempts) return errorOutcome(toolFailed(tool, error));
      }
    }
  } finally {
    limit.clear();
    audience.leave();
  }
}

async function execute(
  tool: Tool,
  input: unknown,
  context: ToolContext,
  onText: (delta: string) => void,
): Promise<ToolOutcome> {
  const streamed = streamedText();
  let output = await orAbort(settle(tool, input, context), context.signal);
  if (isAsyncIterable(output)) {
    output = await drain(output, context.signal, (delta) => {
      const kept = streamed.add(delta);
      if (kept !== '') onText(kept);
    });
  }
  return toOutcome(tool.name, output, streamed);
}

/** What a tool throws before its first `await` is a rejection like any other. */
async function settle(tool: Tool, input: unknown, context: ToolContext): Promise<unknown> {
  return tool.execute(input, context);
}

async function drain(
  source: AsyncIterable<unknown>,
  signal: AbortSignal,
  onText: (delta: string) => void,
): Promise<unknown> {
  const iterator: AsyncIterator<unknown, unknown> = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const step = await orAbort(iterator.next(), signal);
      if (step.done) return step.value;
      if (typeof step.value !== 'string')
        throw new TypeError(`it yielded a ${typeof step.value}: yield text, return the rest`);
      onText(step.value);
    }
  } catch (error) {
    // Not awaited: one that hangs in `next` never answers.
    iterator.return?.()?.catch(() => undefined);
    throw error;
  }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

function backoffMs(attempt: number): number {
  return Math.min(100 * 2 ** (attempt - 2), 5_000);
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const elapsed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    await orAbort(elapsed, signal);
  } finally {
    clearTimeout(timer);
  }
}

/** The hooks, until the call has settled. */
function audienceOf(hooks: RunHooks): Pick<RunHooks, 'onText' | 'onProgress'> & { leave(): void } {
  let isListening = true;
  return {
    onText: (delta) => isListening && hooks.onText(delta),
    onProgress: (update) => isListening && hooks.onProgress(update),
    leave() {
      isListening = false;
    },
  };
}
