import { isStatic, type ShellWord } from './analysis.ts';
import { mayBeOption, readOptions, type OptionSpec } from './options.ts';

/** Subcommands whose many options are harmless but for those that `writesOrRuns` knows. */
const viewers = new Set([
  'blame',
  'cat-file',
  'check-ignore',
  'count-objects',
  'describe',
  'diff',
  'diff-tree',
  'grep',
  'log',
  'ls-files',
  'ls-tree',
  'merge-base',
  'name-rev',
  'rev-list',
  'rev-parse',
  'shortlog',
  'show',
  'show-ref',
  'status',
  'version',
]);

/** Options with a value that turn `git branch` and `git tag` into a listing. */
const listingBy = ['contains', 'no-contains', 'merged', 'no-merged', 'points-at'];
const formatted = ['sort', 'format', 'column', 'color', 'abbrev'];
const branchListing: OptionSpec = {
  flags: 'arvqi',
  long: [
    'list',
    'all',
    'remotes',
    'verbose',
    'show-current',
    'ignore-case',
    'no-color',
    'no-column',
    'no-abbrev',
    'omit-empty',
  ],
  longValued: [...listingBy, ...formatted],
};
const tagListing: OptionSpec = {
  flags: 'li',
  whole: /^-n\d*$/,
  long: ['list', 'ignore-case', 'no-column', 'omit-empty'],
  longValued: [...listingBy, ...formatted],
};
const configReading: OptionSpec = {
  flags: 'lz',
  long: [
    'get',
    'get-all',
    'get-regexp',
    'get-urlmatch',
    'list',
    'show-origin',
    'show-scope',
    'name-only',
    'null',
    'global',
    'local',
    'system',
    'worktree',
    'includes',
    'bool',
    'int',
    'path',
  ],
  longValued: ['type', 'default'],
};
/** The only options before the subcommand: the others can name other repositories, settings and programs. */
const globalOptions: OptionSpec = {
  flags: 'P',
  long: ['no-pager', 'no-optional-locks', 'no-replace-objects', 'literal-pathspecs'],
};

/** Whether `git` with these words after it only reads. */
export function isReadOnlyGit(words: readonly ShellWord[]): boolean {
  const global = readOptions(words, globalOptions, true);
  if (global.unknown) return words.length === 1 && /^(?:--version|-v)$/.test(words[0]!.value);
  const [subcommand, ...rest] = global.operands;
  if (!subcommand || !isStatic(subcommand)) return false;
  switch (subcommand.value) {
    case 'branch':
      return isListing(rest, branchListing);
    case 'tag':
      return isListing(rest, tagListing);
    case 'remote':
      return /^(?:|-v|--verbose|get-url( --all| --push)? [^-\s]\S*)$/.test(valuesOf(rest));
    case 'reflog':
      return /^(?:|show|-.*)$/.test(rest[0]?.value ?? '') && !rest.some(writesOrRuns);
    case 'stash':
      return /^(?:list|show)$/.test(rest[0]?.value ?? '') && !rest.some(writesOrRuns);
    case 'worktree':
      return /^list( --porcelain| -v)?$/.test(valuesOf(rest));
    case 'config':
      return isConfigReading(rest);
    default:
      return viewers.has(subcommand.value) && !viewerRuns(subcommand.value, rest);
  }
}

function isListing(words: readonly ShellWord[], spec: OptionSpec): boolean {
  const { operands, options, unknown } = readOptions(words, spec);
  if (unknown || !words.every(isStatic)) return false;
  const lists = options.some(
    (option) => /^(?:--list|-l)$/.test(option) || listingBy.includes(option.slice(2)),
  );
  return operands.length === 0 || lists;
}

function isConfigReading(words: readonly ShellWord[]): boolean {
  const { operands, options, unknown } = readOptions(words, configReading);
  if (unknown || !words.every(isStatic)) return false;
  const verb = operands[0]?.value;
  if (verb === 'get' || verb === 'list') return true;
  return options.some((option) => /^(?:-l|--list|--get(?:-all|-regexp|-urlmatch)?)$/.test(option));
}

function viewerRuns(subcommand: string, words: readonly ShellWord[]): boolean {
  if (words.some(writesOrRuns)) return true;
  // git grep opens what it finds in a pager of the caller's choice, and reads every .env where it leaves the index.
  return (
    subcommand === 'grep' && words.some(({ value }) => /^-[a-zA-Z]*O|^--(?:op|no-i|no-e|unt)/.test(value))
  );
}

/**
 * `--output=FILE`, `--ext-diff`, `--textconv`, `--filters`, `--open-files-in-pager`, `--contents`, `--show-signature` and their abbreviations,
 * which git accepts while they are unambiguous. A word that may turn out to be an option counts.
 */
function writesOrRuns(word: ShellWord): boolean {
  if (!mayBeOption(word)) return false;
  if (!isStatic(word) && !word.value.startsWith('-')) return true;
  const name = word.value.split('=')[0]!;
  return [
    '--output',
    '--ext-diff',
    '--ext-grep',
    '--textconv',
    '--filters',
    '--show-signature',
    '--exec',
  ].some((option) => (name.length > 3 && option.startsWith(name)) || name === option);
}

function valuesOf(words: readonly ShellWord[]): string {
  return words.every(isStatic) ? words.map(({ value }) => value).join(' ') : '-';
}
