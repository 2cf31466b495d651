import { expandBraces } from '../paths/braces.ts';
import type { ShellWord, WordPiece } from './analysis.ts';

/** The words that a word with braces stands for, `{a,b}` as `a` and `b`. Braces with more than plain text in them stay unknown. */
export function spellings(word: ShellWord): readonly ShellWord[] {
  let words: WordPiece[][] = [[]];
  for (const piece of word.pieces) {
    const choices = choicesOf(piece);
    if (words.length * choices.length > 100) return [word];
    words = words.flatMap((pieces) => choices.map((choice) => [...pieces, choice]));
  }
  return words.map((pieces) => ({ value: pieces.map(({ text }) => text).join(''), pieces }));
}

function choicesOf(piece: WordPiece): readonly WordPiece[] {
  if (piece.kind !== 'brace') return [piece];
  if (!/^[\w.,{}/+@=:!-]+$/.test(piece.text)) return [piece];
  // Of numbers the two ends are enough to tell what kind of name comes out.
  const range = /^\{(-?\d+)\.\.(-?\d+)\}$/.exec(piece.text);
  const choices = range ? [range[1]!, range[2]!] : expandBraces(piece.text);
  if (choices.some((choice) => choice.includes('{'))) return [piece];
  return choices.map((text) => ({ kind: 'literal', text }));
}

/**
 * A word as segments of a path, each cut where something unknown stands: `a*b/c` is `[['a', 'b'], ['c']]`.
 */
export function segmentsWithGaps(word: ShellWord): string[][] {
  const gap = '\u0000';
  return word.pieces
    .map(({ kind, text }) => (kind === 'literal' || kind === 'tilde' ? text : gap))
    .join('')
    .split('/')
    .map((segment) => segment.split(gap));
}

/** Its path is on another machine. */
export function isWebAddress({ value }: ShellWord): boolean {
  return /^https?:\/\//.test(value);
}
