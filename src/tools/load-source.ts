import { orAbort } from './or-abort.ts';
import { loadLimitMs, type LoadedTools, type ToolSource, type ToolSourceContext } from './tool-source.ts';

/**
 * Asks a source for its tools, and no longer than it may take.
 *
 * @throws what the source throws, and Error when it is late or its answer is none: anyone may write a source.
 */
export async function loadSource(
  source: ToolSource,
  context: Omit<ToolSourceContext, 'signal'>,
  limitMs = loadLimitMs,
): Promise<LoadedTools> {
  const limit = new AbortController();
  const late = new Error(`it did not answer within ${limitMs / 1000} s`);
  // Not that of AbortSignal.timeout, which lets a process end that has nothing else to wait for.
  const timer = setTimeout(() => limit.abort(late), limitMs);
  try {
    const { signal } = limit;
    return checked(await orAbort(source.load({ ...context, signal }), signal));
  } catch (error) {
    throw limit.signal.aborted ? late : error;
  } finally {
    clearTimeout(timer);
  }
}

function checked(answer: unknown): LoadedTools {
  const tools = typeof answer === 'object' && answer !== null && 'tools' in answer ? answer.tools : undefined;
  if (!Array.isArray(tools)) throw new Error('its load() gave no { tools: […] }');
  const wrong = tools.findIndex((tool) => !isTool(tool));
  if (wrong >= 0) throw new Error(`tools[${wrong}] of its load() is no tool: make it with defineTool`);
  return answer as LoadedTools;
}

function isTool(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof Reflect.get(value, 'name') === 'string' &&
    typeof Reflect.get(value, 'execute') === 'function'
  );
}
