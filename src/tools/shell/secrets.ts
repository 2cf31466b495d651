import { isStatic, type ShellAnalysis, type ShellPart, type ShellWord } from './analysis.ts';
import { directoriesOf, resolveWord, type ShellPlace } from './directories.ts';
import { candidatesOf, fileWords } from './named-paths.ts';
import { mayBeOption } from './options.ts';
import { isWebAddress, segmentsWithGaps } from './spellings.ts';
import { baseName } from './wrappers.ts';
import { readOnlyCommands } from './read-only-commands.ts';
import {
  defaultPathPolicy,
  isSensitivePath,
  matchesWildcard,
  type PathPolicy,
} from '../paths/sensitive-paths.ts';

/** Variables that hold secrets, by their names. */
const secretVariable =
  /TOKEN|SECRET|PASSW|PASSPHRASE|API_?KEY|PRIVATE_?KEY|ACCESS_?KEY|CREDENTIAL|DATABASE_URL/i;
/** Names that a wildcard is tried on: such as hold nothing but secrets. */
const tellingName = /^\.|^id_|^\*\.(?:pem|key|p12|pfx)$/;
const nowhere: ShellPlace = { cwd: '/-', home: '/home/-' };

/**
 * The word of the command that names or holds a secret which it may show; undefined when none is seen. It looks at every word of every part, at
 * what follows `=`, `@` and `:` in it, and at input redirects; commands that show only names may name secrets.
 *
 * @param place where it runs, if known
 */
export function readsSecret(
  { parts }: ShellAnalysis,
  policy: Partial<PathPolicy> = {},
  place: ShellPlace = nowhere,
): string | undefined {
  const directories = directoriesOf(parts, place);
  for (const [index, part] of parts.entries()) {
    if (listsVariables(part)) return `${part.name}, which shows variables`;
    const wide =
      part.name === 'rg'
        ? part.args.find((word, at) => isWideGlob(word, part.args[at - 1], policy))
        : undefined;
    if (wide) return wide.value;
    const spec = Object.hasOwn(readOnlyCommands, part.name) ? readOnlyCommands[part.name] : undefined;
    const shown = part.redirects.filter(({ op }) => op === '<<' || op === '<<<').map(({ target }) => target);
    const spoken = spec?.takesText ? [...part.args, ...shown] : shown;
    for (const { pieces } of spoken) {
      const variable = pieces.find(({ kind, text }) => kind === 'variable' && secretVariable.test(text));
      if (variable) return variable.text;
    }
    for (const word of fileWords(part))
      if (isSecretWord(word, directories[index], place.home, policy)) return word.value;
  }
  return undefined;
}

/** Variables hold secrets as often as not, so what lists all of them shows one. */
function listsVariables({ name, args, words }: ShellPart): boolean {
  const values = args.map(({ value }) => value);
  switch (baseName(name)) {
    case 'env':
      return (
        args.every((word) => mayBeOption(word) || /^\w+=/.test(word.value)) && !values.includes('--version')
      );
    case 'printenv': {
      const named = values.filter((value) => !value.startsWith('-'));
      return !named.length || !args.every(isStatic) || named.some((value) => secretVariable.test(value));
    }
    case 'set':
      return words.length === 1;
    case 'export':
    case 'declare':
    case 'typeset':
    case 'readonly':
      return values.every((value) => /^-[a-zA-Z]*$/.test(value) && !/[fF]/.test(value));
    case 'ps':
      return /^[a-z]*e[a-z]*$/.test(values[0] ?? '') || values.includes('-E');
    case 'gh':
      return (
        values.some((value) => /^(?:-q|--jq)/.test(value)) &&
        values.some((value) => /\benv\b|\$ENV/.test(value))
      );
    case 'jq':
      return values.some((value) => /\benv\b|\$ENV/.test(value));
    case 'docker':
    case 'podman':
      return values.includes('inspect');
    default:
      return false;
  }
}

/** A glob of `rg` that takes files in brings hidden ones along, unless it asks for an ending that no secret has. */
function isWideGlob(word: ShellWord, before: ShellWord | undefined, policy: Partial<PathPolicy>): boolean {
  const attached = /^(?:-[a-zA-Z]*g|--i?glob=)(.+)$/s.exec(word.value)?.[1];
  const isNext = /^(?:-[a-zA-Z]*g|--i?glob)$/.test(before?.value ?? '');
  const glob = isNext ? word.value : attached;
  if (glob === undefined || glob.startsWith('!')) return false;
  const endings = /^(?:[\w-]+\/|\*\*\/)*[\w-]*\*?\.(?:(\w+)|\{([\w,]+)\})$/.exec(glob);
  if (!isStatic(word) || !endings) return true;
  return (endings[1] ?? endings[2] ?? '').split(',').some((ending) => isSensitivePath(`x.${ending}`, policy));
}

function isSecretWord(
  word: ShellWord,
  directories: readonly string[] | undefined,
  home: string,
  policy: Partial<PathPolicy>,
): boolean {
  if (isWebAddress(word)) return false;
  if (!isStatic(word) && mayStandForSecret(word, policy)) return true;
  const resolved = resolveWord(word, directories, home);
  if (resolved?.some((path) => isSensitivePath(path, policy))) return true;
  return candidatesOf(word.value).some((path) => {
    if (isSensitivePath(path, policy)) return true;
    return directories?.some(
      (directory) => !path.startsWith('/') && isSensitivePath(`${directory}/${path}`, policy),
    );
  });
}

/** Whether a word with wildcards or variables may name a secret: `.e*`, `id_?sa`, a lone star. */
function mayStandForSecret(word: ShellWord, policy: Partial<PathPolicy>): boolean {
  const { sensitiveFiles, sensitivePaths } = { ...defaultPathPolicy, ...policy };
  const names = [
    ...sensitiveFiles.filter((name) => tellingName.test(name)),
    ...sensitivePaths.map(lastSegment),
  ];
  const samples = ['', 'x'].flatMap((some) => names.map((name) => name.replaceAll('*', some)));
  const hasWildcard = word.pieces.some(({ kind }) => kind === 'glob' || kind === 'brace');
  return segmentsWithGaps(word).some((pieces) => {
    // A variable alone may be anything; that is not enough to say that it is a secret.
    if (pieces.length < 2 || (!hasWildcard && pieces.join('') === '')) return false;
    // A wildcard in front leaves dotfiles out.
    return samples.some(
      (sample) => !(sample.startsWith('.') && pieces[0] === '') && matchesWildcard(sample, pieces),
    );
  });
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
