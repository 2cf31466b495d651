import type { createColors } from 'picocolors';
import type { Block, Usage } from '../schema/message.ts';

export interface Style {
  colors: ReturnType<typeof createColors>;
  /** Characters of a text that is cut to one line. */
  width: number;
}

/** Control characters but tab and line feed, and what turns the direction of text: what a model or a tool says must not drive the terminal. */
const controls = /[^\P{Cc}\t\n]|[\u202a-\u202e\u2066-\u2069]/gu;

export function printable(text: string): string {
  return text.replace(controls, '');
}

/** The text on one line of at most `width` characters. */
export function oneLine(text: string, width: number): string {
  const flat = printable(text).replace(/\s+/g, ' ').trim();
  return flat.length <= width ? flat : `${flat.slice(0, width - 1)}…`;
}

export function blockText(block: Block): string {
  switch (block.type) {
    case 'text':
    case 'hint':
      return printable(block.text);
    case 'tool_result':
      return block.content.map(blockText).join(' ');
    case 'data':
      return `[${printable(block.name ?? block.mediaType)}]`;
    default:
      return '';
  }
}

const number = new Intl.NumberFormat('en-US');

export function usageText({ inputTokens, outputTokens }: Usage): string {
  return `${number.format(inputTokens)} tokens in, ${number.format(outputTokens)} out`;
}

/** Rows below a header, each column as wide as its widest cell. */
export function table(header: string[], rows: string[][]): string[] {
  const widths = header.map((cell, column) =>
    Math.max(cell.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  return [header, ...rows].map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
