import type { Json } from '../schema/message.ts';
import { printable, type Style } from './text.ts';

/** What an edit takes out (`-`) and puts in (`+`), one value a line, whole: an approval covers all of it. Empty when nothing changed. Pure. */
export function argumentDiff(before: Json, after: Json, { colors }: Pick<Style, 'colors'>): string[] {
  const [old, edited] = [leaves(before), leaves(after)];
  return [...new Set([...old.keys(), ...edited.keys()])].flatMap((path) => {
    const [from, to] = [old.get(path), edited.get(path)];
    if (from === to) return [];
    return [
      ...(from === undefined ? [] : [colors.red(`- ${labelOf(path)}${printable(from)}`)]),
      ...(to === undefined ? [] : [colors.green(`+ ${labelOf(path)}${printable(to)}`)]),
    ];
  });
}

/** Each value that holds no other, by its path as JSON: a key may contain any sign. */
function leaves(value: Json, path: string[] = [], found = new Map<string, string>()): Map<string, string> {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (entries.length === 0) found.set(JSON.stringify(path), JSON.stringify(value));
  for (const [key, inner] of entries) leaves(inner, [...path, key], found);
  return found;
}

function labelOf(path: string): string {
  const keys = JSON.parse(path) as string[];
  return keys.length === 0 ? '' : `${printable(keys.join('.'))}: `;
}

/** A model may write nothing where it means no arguments. */
export function argumentsOf({ arguments: raw }: { arguments: string }): Json {
  return raw.trim() === '' ? {} : (JSON.parse(raw) as Json);
}
