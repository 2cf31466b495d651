import { posix } from 'node:path';
import { expandBraces } from './braces.ts';
import { matchesWildcard } from './sensitive-paths.ts';

export interface PathRuleContext {
  /** Where relative paths and patterns begin; absolute. */
  cwd: string;
  /** What `~` stands for; absolute. */
  home: string;
  /** For deny and ask rules, so that a file system that ignores case is no way around them. */
  ignoresCase?: boolean;
}

/**
 * Whether a path falls under a pattern such as `src/**`, `/data/*.csv` or `~/notes/{a,b}.md`. `*` and `?` stop at a slash, `**` as a
 * whole segment crosses them (and `dir/**` covers `dir`), `[a-z]` and `{a,b}` are known, dotfiles match like others, a backslash
 * takes the next character as it is. `..` is taken away first; links are not: give the resolved path. Where case is ignored, a pattern that
 * names a folder covers what is in it, unless it ends with a lone star: what guards must not miss what it means.
 */
export function matchesPathRule(path: string, pattern: string, context: PathRuleContext): boolean {
  const fold = (text: string) => (context.ignoresCase ? text.toLowerCase() : text);
  const segments = fold(absolute(path, context)).split('/');
  return expandBraces(pattern).some((one) => matchesSegments(segments, patternSegments(one, context)));
}

/** A path of which not all is known: a gap stands for any characters but a slash. */
export interface PathGuess {
  path: string;
  /** What lies below is meant as well. */
  isBelow: boolean;
}

export const pathGap = '\u0000';

/** Whether a deny or ask rule's pattern may cover what the guess stands for. */
export function mayMatchPathRule(
  { path, isBelow }: PathGuess,
  pattern: string,
  { cwd, home }: PathRuleContext,
): boolean {
  const context = { cwd, home, ignoresCase: true };
  const segments = absolute(path, context).toLowerCase().split('/');
  // The root is one segment, as it is for all that lies below.
  if (isBelow && segments.at(-1) === '' && segments.length > 1) segments.pop();
  return expandBraces(pattern).some((one) =>
    mayMatchSegments(segments, patternSegments(one, context), isBelow),
  );
}

function patternSegments(pattern: string, context: PathRuleContext): string[] {
  const path = absolute(pattern, context);
  if (!context.ignoresCase) return path.split('/');
  const segments = path.toLowerCase().split('/');
  return segments.at(-1) === '*' && !pattern.endsWith('/') ? segments : [...segments, '**'];
}

function mayMatchSegments(
  segments: readonly string[],
  patterns: readonly string[],
  isBelow: boolean,
): boolean {
  const skipping = (from: Iterable<number>) => {
    const all = new Set(from);
    for (const at of all) if (patterns[at] === '**') all.add(at + 1);
    return all;
  };
  let reached = skipping([0]);
  for (const segment of segments) {
    const next = [...reached].flatMap((at) => {
      const pattern = patterns[at];
      if (pattern === undefined) return [];
      if (pattern === '**') return [at];
      return mayMatchSegment(segment, pattern) ? [at + 1] : [];
    });
    reached = skipping(next);
  }
  return isBelow ? reached.size > 0 : reached.has(patterns.length);
}

function mayMatchSegment(text: string, pattern: string): boolean {
  if (!text.includes(pathGap)) return matchesSegment(text, pattern);
  return /[*?[\\]/.test(pattern) || matchesWildcard(pattern, text.split(pathGap));
}

function absolute(path: string, { cwd, home }: PathRuleContext): string {
  const expanded = path === '~' || path.startsWith('~/') ? home + path.slice(1) : path;
  const normal = posix.normalize(expanded.startsWith('/') ? expanded : `${cwd}/${expanded}`);
  return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal;
}

/** Rows of a table instead of recursion: time grows with the product of the lengths, whatever the pattern. */
function matchesSegments(segments: readonly string[], patterns: readonly string[]): boolean {
  let reached = new Set([0]);
  for (const pattern of patterns) {
    const next = new Set<number>();
    for (const at of reached) {
      if (pattern === '**') for (let end = at; end <= segments.length; end++) next.add(end);
      else if (at < segments.length && matchesSegment(segments[at]!, pattern)) next.add(at + 1);
    }
    reached = next;
  }
  return reached.has(segments.length);
}

/** The same, by characters. */
function matchesSegment(text: string, pattern: string): boolean {
  let reached = new Set([0]);
  for (const token of tokensOf(pattern)) {
    const next = new Set<number>();
    for (const at of reached) {
      if (token === '*') for (let end = at; end <= text.length; end++) next.add(end);
      else if (at < text.length && matchesCharacter(text[at]!, token)) next.add(at + 1);
    }
    if (!next.size) return false;
    reached = next;
  }
  return reached.has(text.length);
}

function tokensOf(pattern: string): string[] {
  return pattern.match(/\\.|\[[!^]?\]?[^\]]*\]|./gs) ?? [];
}

function matchesCharacter(character: string, token: string): boolean {
  if (token === '?') return true;
  if (token.startsWith('\\') && token.length > 1) return character === token.slice(1);
  const set = /^\[([!^]?)(.+)\]$/s.exec(token);
  if (!set) return character === token;
  const holds = [...set[2]!.matchAll(/(.)-(.)|(.)/gs)].some(([, from, to, one]) =>
    one === undefined ? from! <= character && character <= to! : one === character,
  );
  return holds !== (set[1] !== '');
}
