import { didYouMean } from './nearest-names.ts';
import type { Tool, ToolOutcome } from './tool.ts';

const maxNamesShown = 50;

export function errorOutcome(message: string): ToolOutcome {
  return { state: 'error', parts: [{ type: 'text', text: message }] };
}

/** Tells a model that the tool it called does not exist, and which do. */
export function unknownTool(name: string, known: Iterable<string>): string {
  const names = [...known];
  if (names.length === 0) return `There is no tool "${shown(name)}", and no other: answer without tools.`;
  const listed = names.slice(0, maxNamesShown).join(', ');
  const more = names.length > maxNamesShown ? `, and ${names.length - maxNamesShown} more` : '';
  return `There is no tool "${shown(name)}".${didYouMean(name, names)} The tools are: ${listed}${more}.`;
}

export function toolFailed(tool: Tool, error: unknown): string {
  return `${tool.name} failed: ${describeError(error)}\nIf its arguments are at fault, correct them and call it again; otherwise go on without it, or say what went wrong.`;
}

export function toolTimedOut(tool: Tool, input: unknown): string {
  const seconds = tool.timeoutMs / 1000;
  const limit = `${tool.name} did not finish within its limit of ${seconds} s and was given up on.`;
  return tool.isReadOnly(input)
    ? `${limit} Ask for less, or go on without it.`
    : `${limit} It may have taken effect all the same: find out before you call it again.`;
}

/** An error's message with those of its causes ("fetch failed" says little without them), never its stack. */
export function describeError(error: unknown): string {
  const messages: string[] = [];
  for (let cause = error; cause !== undefined && messages.length < 5; cause = causeOf(cause)) {
    messages.push(messageOf(cause));
  }
  return messages.join(', because: ').slice(0, 10_000);
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) {
    return [error.message, ...error.errors.slice(0, 5).map(messageOf)]
      .filter((part) => part !== '')
      .join('; ');
  }
  if (error instanceof Error) return error.message || error.name;
  if (typeof error === 'string') return error || 'no message';
  try {
    return JSON.stringify(error) ?? String(error);
  } catch {
    return 'something that is no error was thrown';
  }
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined;
}

function shown(name: string): string {
  return name.length > 100 ? `${name.slice(0, 100)}…` : name;
}
