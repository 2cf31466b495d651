import type { AgentEvent } from '../schema/event.ts';
import { colorsOf } from './colors.ts';
import type { RenderOptions } from './render-events.ts';
import { emptyTree, renderTree } from './render-tree.ts';
import type { Style } from './text.ts';

export function terminalStyle(): Style {
  return {
    colors: colorsOf(process.stdout),
    // Room for what stands before a cut text. A terminal may not know its size, and say 0.
    width: Math.max(process.stdout.columns || 100, 60) - 20,
  };
}

export function printLines(lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** For what a person should know besides the output: with `--json` too, as stdout is the program's. */
export function notice(line: string): void {
  process.stderr.write(`${colorsOf(process.stderr).dim(line)}\n`);
}

/** Prints events as they come: as text on the terminal, or one JSON a line. */
export function eventPrinter(
  isJson: boolean,
  options: Partial<RenderOptions> = {},
): (event: AgentEvent) => void {
  if (isJson) return printJson;
  const render = { ...terminalStyle(), ...options };
  let tree = emptyTree;
  return (event) => {
    const [next, text] = renderTree(tree, event, render);
    tree = next;
    process.stdout.write(text);
  };
}
