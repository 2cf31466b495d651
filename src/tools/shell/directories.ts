import { isStatic, type ShellPart, type ShellWord } from './analysis.ts';

/** Where a command runs. All absolute. */
export interface ShellPlace {
  cwd: string;
  home: string;
}

/** More possible directories than this count as unknown. */
const maxDirectories = 32;

/**
 * The directories in which each part may run, as far as `cd` moves: after `cd a; rm x` both the old and the new, for `cd` may have failed,
 * after `cd a && rm x` only the new. Undefined for a part whose directory can't be known.
 */
export function directoriesOf(
  parts: readonly ShellPart[],
  { cwd, home }: ShellPlace,
): (readonly string[] | undefined)[] {
  /** Where the next part may run, and all places that the chain of `&&` has seen. */
  let now: readonly string[] | undefined = [cwd];
  let seen: readonly string[] | undefined = now;
  let isPureChain = true;
  return parts.map((part) => {
    if (part.join === '||' || part.join === '|') isPureChain = false;
    else if (part.join !== '&&') {
      now = seen;
      isPureChain = true;
    }
    if (!isPureChain) now = seen;
    const here = now;
    const moved = movesTo(part, here, home);
    if (moved !== 'stays') {
      seen = union(seen, moved);
      const isSure = isPureChain && part.origin === 'list' && !part.readsPipe && !part.isNegated;
      now = isSure ? moved : seen;
    }
    return here;
  });
}

function movesTo(
  part: ShellPart,
  from: readonly string[] | undefined,
  home: string,
): readonly string[] | undefined | 'stays' {
  if (part.assignments.some(({ name }) => /^(?:CDPATH|HOME|PWD|OLDPWD)(?:\[|$)/.test(name))) return undefined;
  if (part.name === 'popd') return undefined;
  if (part.name !== 'cd' && part.name !== 'pushd') return 'stays';
  const operands = part.args.filter(({ value }) => !/^-[LPe@]+$|^--$/.test(value));
  if (!operands.length) return part.name === 'cd' ? [home] : undefined;
  const [target] = operands;
  if (operands.length > 1 || target!.value === '-' || /^[-+]/.test(target!.value)) return undefined;
  return resolveWord(target!, from, home);
}

function union(
  one: readonly string[] | undefined,
  other: readonly string[] | undefined,
): readonly string[] | undefined {
  if (!one || !other) return undefined;
  const all = [...new Set([...one, ...other])];
  return all.length > maxDirectories ? undefined : all;
}

/**
 * The absolute paths that a word may name; undefined when they can't be known. `.` and `..` stay in them, for what they mean depends on
 * links.
 *
 * @param directories where the command may run
 */
export function resolveWord(
  word: ShellWord,
  directories: readonly string[] | undefined,
  home: string,
): readonly string[] | undefined {
  const path = expandHome(word, home);
  if (path === undefined) return undefined;
  if (path.startsWith('/')) return [path];
  return directories?.map(
    (directory) => `${directory === '/' ? '' : directory}/${path.replace(/^\$PWD\//, '')}`,
  );
}

/** The word with home in the place of `~` and `$HOME`; undefined when more of it is unknown. */
function expandHome(word: ShellWord, home: string): string | undefined {
  if (isStatic(word) && word.pieces.every(({ kind, text }) => kind === 'literal' || text === '~'))
    return word.pieces.map(({ kind, text }) => (kind === 'tilde' ? home : text)).join('');
  const [first, ...rest] = word.pieces;
  if (first?.kind !== 'variable' || !rest.every(({ kind }) => kind === 'literal')) return undefined;
  const tail = rest.map(({ text }) => text).join('');
  if (tail !== '' && !tail.startsWith('/')) return undefined;
  if (first.text === '$HOME') return home + tail;
  return first.text === '$PWD' ? `$PWD${tail || '/'}` : undefined;
}
