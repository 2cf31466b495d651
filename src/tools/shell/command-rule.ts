import {
  isStatic,
  type ShellAnalysis,
  type ShellAssignment,
  type ShellPart,
  type ShellWord,
} from './analysis.ts';
import { subcommandWords } from './hidden-git.ts';
import { parseShell } from './parse-shell.ts';
import { isHarmlessAssignment, isReadOnlyAmong, opaqueFeatures, writtenByRedirect } from './read-only.ts';
import { partText, redirectText, wordsText } from './part-text.ts';
import { baseName } from './wrappers.ts';
import { matchesWildcard } from '../paths/sensitive-paths.ts';

/** `every` for what allows, `some` for what denies or asks. */
export type Quantifier = 'every' | 'some';

/**
 * A pattern, read: `npm test:*` is a prefix at a word boundary, any other pattern with a star a glob over the whole command, all else exactly
 * this command. `\*` is a star, `\\` a backslash. Prefixes and exact commands are compared by words, so quotes make no difference.
 */
type CommandPattern =
  | { kind: 'prefix'; words: readonly ShellWord[]; assignments: readonly ShellAssignment[] }
  | { kind: 'glob'; pieces: readonly string[]; takesBare: boolean }
  | { kind: 'exact'; text: string; part?: ShellPart };

/**
 * Whether a rule's pattern covers a command.
 *
 * `every` holds only if each part is covered by this one pattern, and neither substitutions, compound commands, writes into files nor
 * environment settings go beyond what the pattern says. `some` holds if any part is covered, those inside substitutions and wrappers
 * included, by whatever path or quoting the command is named, with options in any order.
 */
export function matchesCommandRule(
  analysis: ShellAnalysis,
  pattern: string,
  quantifier: Quantifier,
): boolean {
  const rule = readPattern(pattern);
  if (rule.kind === 'exact' && rule.text === analysis.source.trim())
    return quantifier === 'some' || analysis.ok;
  if (quantifier === 'some') return analysis.parts.some((part) => forbids(rule, part));
  return isPlain(analysis) && judged(analysis).every((part) => covers(rule, part, analysis));
}

/**
 * Whether several allow rules together cover a command: each part is covered by one of them or only reads. `git add a && npm test` needs
 * two.
 */
export function allowRulesCover(analysis: ShellAnalysis, patterns: readonly string[]): boolean {
  if (patterns.some((pattern) => matchesCommandRule(analysis, pattern, 'every'))) return true;
  const rules = patterns.map(readPattern);
  return (
    isPlain(analysis) &&
    analysis.parts.length > 0 &&
    judged(analysis).every(
      (part) => isReadOnlyAmong(part, analysis.parts) || rules.some((rule) => covers(rule, part, analysis)),
    )
  );
}

/**
 * Whether all that the command runs is known by name. When it is not, that no deny rule matches means little: ask, in whatever mode.
 */
export function isFullyKnown(analysis: ShellAnalysis): boolean {
  return analysis.ok && !analysis.features.has('unknown_code') && !analysis.features.has('dynamic_name');
}

function isPlain(analysis: ShellAnalysis): boolean {
  return analysis.ok && !opaqueFeatures.some((feature) => analysis.features.has(feature));
}

function judged({ parts }: ShellAnalysis): readonly ShellPart[] {
  // A command line without a command is covered by nothing.
  return parts.length ? parts.filter(({ origin }) => origin !== 'guessed') : [emptyPart];
}

const emptyPart: ShellPart = {
  name: '',
  args: [],
  words: [],
  assignments: [],
  redirects: [],
  isBackground: false,
  join: 'start',
  readsPipe: false,
  isNegated: false,
  origin: 'list',
  hidden: [],
  isTransparent: false,
};

function covers(rule: CommandPattern, part: ShellPart, analysis: ShellAnalysis): boolean {
  if (allows(rule, part) || isCoveredThroughWrapper(rule, part)) return true;
  // What runs inside is judged by itself.
  return (
    part.isTransparent &&
    !writtenByRedirect(part).length &&
    analysis.parts.some(({ wrapper }) => wrapper?.part === part)
  );
}

function isCoveredThroughWrapper(rule: CommandPattern, part: ShellPart): boolean {
  let index: number | undefined = 0;
  for (let { wrapper } = part; wrapper; { wrapper } = wrapper.part) {
    index = index === undefined || wrapper.index === undefined ? undefined : index + wrapper.index;
    const at = index;
    const spellsOut = part.hidden.every((hidden) =>
      reachesInto(rule, at === undefined ? at : at + hidden.index),
    );
    if (allows(rule, wrapper.part) && reachesInto(rule, index) && spellsOut) return true;
  }
  return false;
}

/** Whether the pattern names the wrapped command itself, as `sudo apt install:*` does: then it speaks about it. */
function reachesInto(rule: CommandPattern, index: number | undefined): boolean {
  if (rule.kind === 'exact') return true;
  if (index === undefined) return false;
  if (rule.kind === 'prefix') return rule.words.length > index;
  const head = rule.pieces[0]!;
  return head.split(' ').length - 1 > index;
}

function allows(rule: CommandPattern, part: ShellPart): boolean {
  const [name] = part.words;
  if (!name || !isStatic(name)) return false;
  switch (rule.kind) {
    case 'exact':
      return rule.part !== undefined && isSamePart(rule.part, part);
    case 'prefix':
      return (
        !writtenByRedirect(part).length &&
        isSettled(part, rule.assignments) &&
        part.hidden.every(({ index }) => index < rule.words.length) &&
        rule.words.length <= part.words.length &&
        rule.words.every((word, index) => isSameWord(word, part.words[index]!))
      );
    case 'glob': {
      if (!isSettled(part, [])) return false;
      const written = writtenByRedirect(part).length ? redirectText(part) : '';
      const last = rule.pieces.at(-1)!;
      if (!last.endsWith(written)) return false;
      if (!part.hidden.every(({ index }) => spellsOut(rule, index, part.words.length))) return false;
      const pieces = [...rule.pieces.slice(0, -1), last.slice(0, last.length - written.length)];
      return matchesGlob({ ...rule, pieces }, wordsText(part.words));
    }
  }
}

/** Whether an option and its value stand in front of the first star, or behind the last. */
function spellsOut({ pieces }: { pieces: readonly string[] }, index: number, count: number): boolean {
  const head = pieces[0]!.split(' ').length - 1;
  const tail = pieces.at(-1)!.split(' ').length - 1;
  return index < head || count - index <= tail;
}

/** Whether its environment is harmless, or what the rule says. */
function isSettled(part: ShellPart, expected: readonly ShellAssignment[]): boolean {
  return part.assignments.every(
    (assignment) =>
      isHarmlessAssignment(assignment) ||
      expected.some(
        ({ name, value }) =>
          name === assignment.name && value && assignment.value && isSameWord(value, assignment.value),
      ),
  );
}

function forbids(rule: CommandPattern, part: ShellPart): boolean {
  if (!part.words.length && !part.assignments.length && !part.redirects.length) return false;
  const name = baseName(part.name);
  switch (rule.kind) {
    case 'exact':
      return rule.part?.words.length
        ? isSameCall(rule.part.words, part, name, true)
        : textsOf(part).includes(rule.text);
    case 'prefix':
      return isSameCall(rule.words, part, name, false);
    case 'glob':
      return textsOf(part).some((text) => matchesGlob(rule, text));
  }
}

const texts = new WeakMap<ShellPart, readonly string[]>();

/** The spellings of a part that a glob is tried on; kept, for many rules are tried on one part. */
function textsOf(part: ShellPart): readonly string[] {
  const known = texts.get(part);
  if (known) return known;
  const values = part.args.map(({ value }) => value);
  const plain = [part.name, ...values].join(' ').trim();
  const named = [baseName(part.name), ...values].join(' ').trim();
  const all = [...new Set([wordsText(part.words), partText(part), plain, named, ...withoutGlobals(part)])];
  texts.set(part, all);
  return all;
}

/** `git -C x push` as `git push` */
function withoutGlobals(part: ShellPart): string[] {
  if (baseName(part.name) !== 'git') return [];
  return [['git', ...subcommandWords(part.args).map(({ value }) => value)].join(' ')];
}

/**
 * Whether a call is one that the words describe, read widely: the name in any folder and case, options in any order and spelling between
 * them (`git -C x push` is `git push`, `rm -r -f` is `rm -rf`).
 */
function isSameCall(words: readonly ShellWord[], part: ShellPart, name: string, isWhole: boolean): boolean {
  const [wantedName, ...wanted] = words;
  if (!wantedName || !part.words.length) return false;
  if (baseName(wantedName.value) !== name) return false;
  const inOneSpelling = ({ value }: ShellWord) => (name === 'rm' ? spellingOfRm(value) : value);
  const values = part.args.map(inOneSpelling).filter((value) => value !== '');
  const wantedValues = wanted.map(inOneSpelling);
  if (isWhole) {
    const sorted = (list: string[]) => list.flatMap(letters).toSorted().join('\u0000');
    return sorted(values) === sorted(wantedValues);
  }
  if (wantedValues.every((value, index) => values[index] === value)) return true;
  const options = new Set(values.flatMap((value) => [value, ...letters(value)]));
  if (!wantedValues.filter(isOption).every((option) => letters(option).every((one) => options.has(one))))
    return false;
  return followsInOrder(
    values,
    wantedValues.filter((value) => !isOption(value)),
  );
}

/** The wanted operands come first among the operands; an option may have taken one word as its value. */
function followsInOrder(values: readonly string[], wanted: readonly string[]): boolean {
  let next = 0;
  for (const [index, value] of values.entries()) {
    if (next === wanted.length) return true;
    if (isOption(value)) continue;
    if (value === wanted[next]) next++;
    else if (!isOption(values[index - 1] ?? '')) return false;
  }
  return next === wanted.length;
}

function isOption(value: string): boolean {
  return value.startsWith('-') && value.length > 1;
}

/** `rm -R`, `rm --recursive` and `rm --rec` are `rm -r`. */
function spellingOfRm(value: string): string {
  if (/^-[a-zA-Z]+$/.test(value)) return value.replaceAll('R', 'r');
  const long = ['--recursive', '--force', '--dir', '--verbose'].find(
    (option) => value.length > 2 && option.startsWith(value),
  );
  return long ? `-${long[2]}` : value;
}

/** `-rf` is `-r` and `-f`; longer ones, such as `-delete`, are taken for one option. */
function letters(value: string): string[] {
  return /^-[a-zA-Z]{2,4}$/.test(value)
    ? value
        .slice(1)
        .split('')
        .map((letter) => `-${letter}`)
    : [value];
}

function isSamePart(one: ShellPart, other: ShellPart): boolean {
  return (
    one.words.length === other.words.length &&
    one.words.every((word, index) => isSameWord(word, other.words[index]!)) &&
    redirectText(one) === redirectText(other) &&
    isSettled(other, one.assignments)
  );
}

/** `$X` and `'$X'` read the same and are not. */
function isSameWord(one: ShellWord, other: ShellWord): boolean {
  return one.value === other.value && shapeOf(one) === shapeOf(other);
}

function shapeOf({ pieces }: ShellWord): string {
  return pieces
    .filter(({ text }) => text !== '')
    .map(({ kind, text }) => (kind === 'literal' ? text : `\u0000${kind}\u0000${text}\u0000`))
    .join('');
}

function matchesGlob(rule: { pieces: readonly string[]; takesBare: boolean }, text: string): boolean {
  if (matchesWildcard(text, rule.pieces)) return true;
  if (!rule.takesBare) return false;
  const bare = rule.pieces.slice(0, -1);
  return matchesWildcard(text, [...bare.slice(0, -1), bare.at(-1)!.slice(0, -1)]);
}

const patterns = new Map<string, CommandPattern>();
const maxPatterns = 5_000;

/** Reading a pattern parses it, and a rule is tried on every call: so what was read is kept, within a limit. */
function readPattern(pattern: string): CommandPattern {
  const known = patterns.get(pattern);
  if (known) return known;
  if (patterns.size >= maxPatterns) patterns.clear();
  const read = compilePattern(pattern.trim());
  patterns.set(pattern, read);
  return read;
}

function compilePattern(pattern: string): CommandPattern {
  const pieces = splitAtStars(pattern);
  if (pieces.length === 1) {
    const text = pieces[0]!;
    const part = onlyPart(text);
    return { kind: 'exact', text, ...(part ? { part } : {}) };
  }
  if (pieces.length === 2 && pieces[1] === '' && pieces[0]!.endsWith(':')) {
    const text = pieces[0]!.slice(0, -1).trim();
    const part = onlyPart(text);
    if (part?.words.length && !part.redirects.length)
      return { kind: 'prefix', words: part.words, assignments: part.assignments };
    // Not a command by itself, such as an open quote: by its words as they stand.
    const words = text
      .split(/\s+/)
      .map((value) => ({ value, pieces: [{ kind: 'literal' as const, text: value }] }));
    return { kind: 'prefix', words, assignments: [] };
  }
  const takesBare = pieces.length > 1 && pieces.at(-1) === '' && pieces.at(-2)!.endsWith(' ');
  return { kind: 'glob', pieces, takesBare };
}

function onlyPart(text: string): ShellPart | undefined {
  const analysis = parseShell(text);
  const own = analysis.parts.filter(({ wrapper }) => !wrapper);
  return analysis.ok && own.length === 1 ? own[0] : undefined;
}

/** The pattern between its stars, escapes taken away. */
function splitAtStars(pattern: string): string[] {
  const pieces = [''];
  for (const [token] of pattern.matchAll(/\\[*\\]|[^]/g)) {
    if (token === '*') pieces.push('');
    else pieces[pieces.length - 1] += token.length === 2 ? token.slice(1) : token;
  }
  return pieces;
}
