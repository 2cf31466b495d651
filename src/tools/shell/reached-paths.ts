import { pathGap, type PathGuess } from '../paths/path-rule.ts';
import { isStatic, type ShellAnalysis, type ShellPart, type ShellWord } from './analysis.ts';
import { isRecursive } from './dangers.ts';
import { directoriesOf, resolveWord, type ShellPlace } from './directories.ts';
import { isEditCommand, operandsWritten } from './edit-targets.ts';
import { subcommandWords } from './hidden-git.ts';
import { candidatesOf, fileWords } from './named-paths.ts';
import { writtenByRedirect } from './read-only.ts';
import { readOptions } from './options.ts';
import { readOnlyCommands } from './read-only-commands.ts';
import { isWebAddress, spellings } from './spellings.ts';
import { baseName } from './wrappers.ts';

export interface ReachedPaths {
  /** Absolute. */
  named: readonly string[];
  guesses: readonly PathGuess[];
}

const anywhere: PathGuess = { path: '/', isBelow: true };

/** Commands whose operands are written, moved or deleted. */
export const writers =
  /^(?:rm|rmdir|mv|cp|ln|chmod|chown|chgrp|touch|mkdir|tee|truncate|install|rsync|unlink|sed|perl|dd|tar|unzip|patch|ed|ex|vi|vim|nano|setfacl|chattr|curl|wget|sponge)$/;

/** What a command may read besides the paths that it is seen to name: by wildcards, variables, unknown folders, and whole trees. */
export function maybeRead({ parts }: ShellAnalysis, place: ShellPlace): PathGuess[] {
  const directories = directoriesOf(parts, place);
  return parts.flatMap((part, index) => {
    const here = directories[index];
    const words = fileWords(part);
    const guesses = words.flatMap((word) => guessesOf(word, here, place.home, false));
    const tree = readsTree(part);
    if (!tree) return guesses;
    if (tree === 'repository') return [...guesses, anywhere];
    const searched = searchedWords(part);
    const operands = searched ?? words.filter(isOperand);
    const roots = operands.flatMap((word) => resolveWord(word, here, place.home) ?? []);
    // Without a folder it searches the one where it runs, and what looks like one may be the pattern.
    if (!operands.length || (!searched && searches.test(baseName(part.name)))) roots.push(...(here ?? ['/']));
    return [...guesses, ...roots.map((path) => ({ path, isBelow: true }))];
  });
}

/** The paths that a command is seen to write, absolute, and what it may write besides them. What a program writes by itself stays unseen. */
export function writtenPaths({ parts }: ShellAnalysis, place: ShellPlace): ReachedPaths {
  const directories = directoriesOf(parts, place);
  const named: string[] = [];
  const guesses: PathGuess[] = [];
  for (const [index, part] of parts.entries()) {
    const here = directories[index];
    const sure = [
      ...writtenByRedirect(part),
      ...part.hidden.flatMap(({ kind, value }) => (kind === 'write' && value ? [value] : [])),
      ...(operandsWritten(part) ?? []),
    ].flatMap(spellings);
    named.push(...sure.flatMap((word) => resolveWord(word, here, place.home) ?? []));
    guesses.push(...sure.flatMap((word) => guessesOf(word, here, place.home, false)));
    const name = baseName(part.name);
    const isUnread = operandsWritten(part) === undefined && (writers.test(name) || isEditCommand(name));
    const takesAway = name === 'mv' || (name === 'rm' && isRecursive(part.args.map(({ value }) => value)));
    if (!isUnread && !takesAway) continue;
    const touched = name === 'mv' && !isUnread ? part.args.slice(0, -1) : part.args;
    for (const word of touched.flatMap(spellings))
      guesses.push(...guessesOf(word, here, place.home, true, isUnread || takesAway));
  }
  return { named, guesses };
}

/** A word that names something in a folder that is known only when the command runs. */
export function inUnknownFolder({ parts }: ShellAnalysis, place: ShellPlace): ShellWord | undefined {
  const directories = directoriesOf(parts, place);
  for (const [index, part] of parts.entries()) {
    if (directories[index] || part.origin === 'guessed') continue;
    const operands = writers.test(baseName(part.name)) ? part.args : [];
    const word = [...fileWords(part), ...writtenByRedirect(part), ...operands].find(
      (one) => isOperand(one) && !isWebAddress(one) && !resolveWord(one, undefined, place.home),
    );
    if (word) return word;
    if (readsTree(part)) return part.words[0];
  }
  return undefined;
}

function isOperand({ value }: ShellWord): boolean {
  return !/^-(?:$|[^=@:/]*$)/.test(value) || /^-[ef]./.test(value);
}

/** @param isNamed whether literal paths are guesses as well */
function guessesOf(
  word: ShellWord,
  directories: readonly string[] | undefined,
  home: string,
  isNamed: boolean,
  isBelow = false,
): PathGuess[] {
  if (isWebAddress(word)) return [];
  const known = resolveWord(word, directories, home);
  if (isStatic(word) && known && !isNamed) return [];
  const { text, isOpen } = withGaps(word, home);
  const below = isBelow || isOpen;
  return candidatesOf(text).flatMap((path) => {
    if (path.startsWith('/')) return [{ path, isBelow: below }];
    if (path === '' && isOpen) return [anywhere];
    if (!directories) return isOperand(word) ? [anywhere] : [];
    return directories.map((directory) => ({ path: `${directory}/${path}`, isBelow: below }));
  });
}

/** The word as a path up to the segment from which on anything may follow. */
function withGaps({ pieces }: ShellWord, home: string): { text: string; isOpen: boolean } {
  let text = '';
  for (const { kind, text: piece } of pieces) {
    if (kind === 'literal') text += piece;
    else if (kind === 'glob') text += pathGap;
    else if (kind === 'tilde' && piece === '~') text += home;
    else return { text: text.slice(0, text.lastIndexOf('/') + 1), isOpen: true };
  }
  return { text, isOpen: false };
}

/** The files and folders that a search is given; undefined when its options are not all known. */
function searchedWords({ name, args }: ShellPart): readonly ShellWord[] | undefined {
  const base = baseName(name);
  const spec = readOnlyCommands[base === 'rg' ? 'rg' : 'grep']!;
  if (!/^(?:rg|[ef]?grep)$/.test(base)) return undefined;
  const { operands, options, unknown } = readOptions(args, {
    ...spec,
    flags: `${spec.flags ?? ''}${base === 'rg' ? '' : 'rR'}`,
    long: [...(spec.long ?? []), ...(base === 'rg' ? [] : ['recursive', 'dereference-recursive'])],
  });
  if (unknown) return undefined;
  return options.some((option) => /^(?:-[ef]|--regexp|--file)/.test(option)) ? operands : operands.slice(1);
}

const searches = /^(?:rg|ag|ack|rgrep|[efz]?grep)$/;
const treeSearch = /^(?:rg|ag|ack|rgrep)$/;
const mayRecurse = /^(?:[efz]?grep|diff|cp|scp)$/;
const packs = /^(?:tar|bsdtar|zip|7z|rsync)$/;
const gitShows =
  /^(?:show|grep|diff|whatchanged|format-patch|archive|cat-file|diff-(?:tree|index|files)|range-diff|stash|bundle|fast-export)$/;
const patchOption =
  /^-(?:[a-zA-Z]*[puULcWm]|-(?:pat|unif|cc$|word|color-w|func|bin|diff-m|rem|text$|ext-d|dd$))/;

/** Commands that show the content of files that nobody named. */
function readsTree(part: ShellPart): 'folder' | 'repository' | undefined {
  const name = baseName(part.name);
  const values = part.args.map(({ value }) => value);
  if (name === 'git') return showsContent(part) ? 'repository' : undefined;
  if (treeSearch.test(name)) return values.includes('--files') ? undefined : 'folder';
  if (mayRecurse.test(name)) {
    const isWhole = values.some((value) => /^-[a-zA-Z]*a|^--archive|^-[a-zA-Z]*d|^--dir/.test(value));
    return isRecursive(values) || (isWhole && name !== 'diff') ? 'folder' : undefined;
  }
  if (name === 'find') return values.some((value) => /^-(?:exec|ok)/.test(value)) ? 'folder' : undefined;
  return packs.test(name) ? 'folder' : undefined;
}

function showsContent({ args }: ShellPart): boolean {
  const [subcommand] = subcommandWords(args);
  if (!subcommand) return false;
  if (gitShows.test(subcommand.value)) return true;
  return (
    /^(?:log|reflog)$/.test(subcommand.value) &&
    args.some((word) => patchOption.test(word.value) || !isStatic(word))
  );
}
