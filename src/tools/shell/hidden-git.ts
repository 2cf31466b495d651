import { isStatic, type ShellWord } from './analysis.ts';
import type { HiddenSpec } from './hidden-options.ts';
import { readOptions, type OptionSpec } from './options.ts';

/** Settings that change how things look or are named. Any other may name a program, so it counts as code. */
const plainSettings = new Set(
  `branch.autosetupmerge branch.autosetuprebase branch.sort commit.cleanup commit.verbose core.abbrev core.autocrlf core.bare
  core.commentchar core.eol core.filemode core.ignorecase core.longpaths core.precomposeunicode core.quotepath core.safecrlf
  diff.algorithm diff.colormoved diff.context diff.interhunkcontext diff.mnemonicprefix diff.noprefix diff.renamelimit diff.renames
  fetch.parallel fetch.prune fetch.prunetags format.pretty gc.auto grep.extendedregexp grep.linenumber grep.patterntype
  http.lowspeedlimit http.lowspeedtime http.postbuffer http.version init.defaultbranch log.abbrevcommit log.date log.decorate
  log.follow merge.conflictstyle merge.ff merge.log merge.renamelimit merge.renames protocol.version pull.ff pull.rebase
  push.autosetupremote push.default push.followtags rebase.autosquash rebase.autostash rebase.updaterefs rerere.autoupdate
  rerere.enabled tag.sort user.email user.name`.split(/\s+/),
);
const plainSections = /^(?:advice|blame|color|column|feature|index|pack|status)\.[\w.-]+$/;
const programSetting = /^(?:core|sequence)\.(?:pager|editor)$|^pager\.[\w-]+$/i;
const switchedOff =
  /^(?:commit\.gpgsign|tag\.gpgsign|push\.gpgsign|core\.fsmonitor|core\.usebuiltinfsmonitor|gpg\.\w+)$/i;

/** A program that does nothing with what it gets but show it. */
export const harmlessProgram = /^(?:cat|true|false|:|)$/;

/** `user.name=Ann`, `core.pager=cat`: the value of `git -c`. */
export function isHarmlessSetting(setting: string): boolean {
  const [key = '', value] = setting.split(/=(.*)/s);
  if (plainSettings.has(key.toLowerCase()) || plainSections.test(key.toLowerCase())) return true;
  if (programSetting.test(key)) return value !== undefined && harmlessProgram.test(value);
  return switchedOff.test(key) && /^(?:false|no|off|0)$/i.test(value ?? '');
}

/** What every subcommand understands, or would be wrong to be given. */
const always: HiddenSpec = {
  code: '-c --config --config-env --exec-path --upload-pack --receive-pack --exec --ext-diff --textconv --filters --extcmd --open-files-in-pager --show-signature --tool --separate-git-dir --git-dir --work-tree --super-prefix',
  writes: '--output --output-directory',
  valued: 'CSGLnmFu',
  words: /^[a-z][\w+.-]*::|:\/\/-/i,
};

/** Letters mean something else to each. */
const bySubcommand: Readonly<Record<string, HiddenSpec>> = {
  archive: { writes: '-o' },
  bisect: { words: /^run$/ },
  clone: { code: '-u --template' },
  difftool: { code: '-x -t' },
  'filter-branch': { words: /^/ },
  'format-patch': { writes: '-o' },
  grep: { code: '-O' },
  init: { code: '--template' },
  'ls-remote': { code: '-u' },
  mergetool: { code: '-t' },
  rebase: { code: '-x' },
  'send-email': { words: /^--(?:smtp-server|sendmail-cmd|to-cmd|cc-cmd|header-cmd)/ },
  submodule: { words: /^foreach$/ },
  subtree: { words: /^(?:push|pull|add)$/ },
};

/** Options that mean something harmless behind these subcommands. */
const own: Readonly<Record<string, RegExp>> = {
  '-c': /^(?:am|blame|branch|commit|diff|diff-tree|grep|log|ls-files|reflog|rev-list|show|stash|switch|whatchanged)$/,
  '--git-dir': /^rev-parse$/,
};
const globalOptions: OptionSpec = {
  flags: 'pP',
  valued: 'Cc',
  long: ['no-pager', 'paginate', 'no-optional-locks', 'no-replace-objects', 'literal-pathspecs', 'bare'],
};

/** What to look for in these words after `git`. */
/** The words from the subcommand on, where that is found. */
export function subcommandWords(args: readonly ShellWord[]): readonly ShellWord[] {
  return readOptions(args, globalOptions, true).operands;
}

export function gitSpecs(args: readonly ShellWord[]): readonly HiddenSpec[] {
  const named = args.flatMap(({ value }) =>
    Object.hasOwn(bySubcommand, value) ? [bySubcommand[value]!] : [],
  );
  return [always, ...named];
}

/** `git commit -c HEAD`: the letter belongs to the subcommand when it stands behind it. */
export function isOwnOption(args: readonly ShellWord[], option: string, at: number): boolean {
  const { operands, firstOperand, unknown } = readOptions(args, globalOptions, true);
  const [subcommand] = operands;
  if (unknown || !subcommand || !isStatic(subcommand) || at < firstOperand) return false;
  return own[option]?.test(subcommand.value) === true;
}

/** `git config core.pager x` lets later commands run x. */
export function setsProgram(args: readonly ShellWord[]): number {
  const config = args.findIndex(({ value }) => value === 'config');
  if (config < 0) return -1;
  const rest = args.slice(config + 1);
  if (rest.some(({ value }) => /^(?:-e|--edit|edit|-f|--file|--blob)\b/.test(value))) return config;
  if (rest.some(({ value }) => /^(?:get|list|-l|--list|--get.*|unset|--unset.*)$/.test(value))) return -1;
  const key = rest.findIndex((word) => !word.value.startsWith('-') && !/^(?:set|--add)$/.test(word.value));
  const value = rest[key + 1];
  if (key < 0 || !value) return -1;
  const setting = `${rest[key]!.value}=${value.value}`;
  return isStatic(rest[key]!) && isStatic(value) && isHarmlessSetting(setting) ? -1 : config + 1 + key;
}
