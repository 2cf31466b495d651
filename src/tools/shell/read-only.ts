import {
  isStatic,
  type ShellAnalysis,
  type ShellFeature,
  type ShellPart,
  type ShellWord,
} from './analysis.ts';
import { mayBeOption, readOptions } from './options.ts';
import { readOnlyCommands, type ReadOnlySpec } from './read-only-commands.ts';
import { readOnlySubcommands } from './read-only-subcommands.ts';
import { isReadOnlyGit } from './read-only-git.ts';
import { isHarmlessDevice, segmentsOf, type PathPolicy } from '../paths/sensitive-paths.ts';
import { readsSecret } from './secrets.ts';

/** Whatever else it says, such a command is for a person to read. */
export const opaqueFeatures: readonly ShellFeature[] = [
  'command_substitution',
  'process_substitution',
  'expansion_operator',
  'arithmetic',
  'extended_glob',
  'subshell',
  'control_flow',
  'test',
  'function',
  'coprocess',
  'ansi_c_escape',
  'unknown_code',
  'dynamic_name',
];

/** Variables that change nothing but how results look. */
const harmlessVariables =
  /^(?:LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|COLUMNS|LINES|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|CI|NODE_ENV|RUST_BACKTRACE|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|GOOS|GOARCH|DEBIAN_FRONTEND)$/;

/** Predicates of `find` that only look. */
const findTests =
  /^(?:!|\(|\)|,|-(?:[HLP]|not|and|or|a|o|name|iname|path|ipath|wholename|iwholename|regex|iregex|regextype|type|xtype|maxdepth|mindepth|depth|d|prune|print|print0|printf|ls|quit|empty|size|perm|user|group|uid|gid|nouser|nogroup|links|inum|samefile|newer|newer[aBcm][aBcmt]|anewer|cnewer|[acm]time|[acm]min|used|daystart|follow|mount|xdev|noleaf|readable|writable|executable|true|false|fstype|lname|ilname|ignore_readdir_race|warn|nowarn|O[0-3]))$/;

/**
 * Whether the command changes nothing, runs nothing that is hidden, and shows no secrets: then it needs no permission. This is a property
 * of every part and of its options; what is not known to be harmless is not.
 */
export function isReadOnlyCommand(analysis: ShellAnalysis, policy: Partial<PathPolicy> = {}): boolean {
  if (!analysis.ok || !analysis.parts.length) return false;
  if (opaqueFeatures.some((feature) => analysis.features.has(feature))) return false;
  const { parts } = analysis;
  return parts.every((part) => isReadOnlyAmong(part, parts)) && readsSecret(analysis, policy) === undefined;
}

/**
 * As `isReadOnlyCommand`, for one part of several; it does not look for secrets. After a change of folder git is not read-only: what is
 * there may be a repository with settings that name programs to run.
 */
export function isReadOnlyAmong(part: ShellPart, parts: readonly ShellPart[]): boolean {
  return (
    isReadOnlyPart(part) &&
    !(
      /^(?:.*\/)?git$/.test(part.name) &&
      (losesEnvironment(part) || parts.some(({ name }) => /^(?:cd|pushd|popd|unset)$/.test(name)))
    )
  );
}

/** `env -i git status` leaves out the settings that keep git from running what a repository names. */
function losesEnvironment(part: ShellPart): boolean {
  for (let { wrapper } = part; wrapper; { wrapper } = wrapper.part) {
    const before = wrapper.part.args.slice(0, (wrapper.index ?? Infinity) - 1);
    if (/(?:^|\/)(?:env|exec)$/.test(wrapper.part.name) && before.some(({ value }) => value.startsWith('-')))
      return true;
  }
  return false;
}

function isReadOnlyPart(part: ShellPart): boolean {
  if (
    part.hidden.length ||
    writtenByRedirect(part).length ||
    part.redirects.some(({ target }) => isNetworkDevice(target))
  )
    return false;
  if (!part.redirects.every(({ op, target }) => isStatic(target) || op === '<<' || op === '<<<'))
    return false;
  if (!part.assignments.every(isHarmlessAssignment)) return false;
  if (!part.words.length) return true;
  if (part.isTransparent) return true;
  return isReadOnlyCall(part.words);
}

/** Redirects into files, devices that keep nothing left out. */
export function writtenByRedirect(part: ShellPart): ShellWord[] {
  return part.redirects
    .filter(({ op, target }) => {
      if (!op.includes('>')) return false;
      if (op === '>&' && /^(?:\d+-?|-)$/.test(target.value)) return false;
      return !(
        isStatic(target) &&
        target.value.startsWith('/') &&
        isHarmlessDevice(segmentsOf(target.value))
      );
    })
    .map(({ target }) => target);
}

/** Bash opens connections by these names. */
export function isNetworkDevice(word: ShellWord): boolean {
  return /^\/dev\/(?:tcp|udp)\//.test(word.value);
}

export function isHarmlessAssignment({ name, value }: ShellPart['assignments'][number]): boolean {
  // Some value that is no plain text may run a command where bash evaluates it.
  return (
    harmlessVariables.test(name) && value !== undefined && isStatic(value) && !/[[\]$`]/.test(value.value)
  );
}

function isReadOnlyCall(words: readonly ShellWord[]): boolean {
  const [first, ...args] = words;
  const name = first!.value.replace(/^\/(?:usr\/)?bin\//, '');
  if (first!.pieces.some(({ kind }) => kind !== 'literal')) return false;
  if (args.some(({ pieces }) => pieces.some(({ kind }) => kind === 'input'))) return false;
  switch (name) {
    case 'git':
      return hasKnownFiles(args) && isReadOnlyGit(args);
    case 'find':
      return hasKnownFiles(args) && args.every((word) => isFindTest(word));
    case 'sed':
      return hasKnownFiles(args) && isSedPrint(args);
    case 'command':
      return true;
    case 'set':
      // Alone it shows every variable.
      return args.length > 0 && fits(args, readOnlyCommands['set']!);
  }
  const subcommands = Object.hasOwn(readOnlySubcommands, name) ? readOnlySubcommands[name] : undefined;
  if (subcommands) return isReadOnlySubcommand(args, subcommands);
  const spec = Object.hasOwn(readOnlyCommands, name) ? readOnlyCommands[name] : undefined;
  return spec !== undefined && fits(args, spec);
}

function isReadOnlySubcommand(
  args: readonly ShellWord[],
  subcommands: Readonly<Record<string, ReadOnlySpec>>,
): boolean {
  for (const length of [1, 2]) {
    const spec =
      subcommands[
        args
          .slice(0, length)
          .map(({ value }) => value)
          .join(' ')
      ];
    if (spec) return args.slice(0, length).every(isStatic) && fits(args.slice(length), spec);
  }
  return false;
}

function fits(args: readonly ShellWord[], spec: ReadOnlySpec): boolean {
  if (spec.takesText) {
    const [first] = args;
    return (
      !spec.forbids || !first || (isStatic(first) ? !spec.forbids.test(first.value) : !mayBeOption(first))
    );
  }
  if (!hasKnownFiles(args)) return false;
  const settled = spec.isHarmlessByAnyOption
    ? args.filter((word) => isStatic(word) || !mayBeOption(word))
    : args;
  const { options, operands, unknown } = readOptions(settled, spec);
  if (unknown) return false;
  if (operands.length > (spec.maxOperands ?? Infinity) || operands.length < (spec.minOperands ?? 0))
    return false;
  if (spec.operands && !operands.every(({ value }) => spec.operands!.test(value))) return false;
  return !spec.requires || spec.requires.some((option) => options.includes(option));
}

/** Whose files are known but for a glob: variables may name any file, and a secret one too. Home and working directory are known. */
function hasKnownFiles(words: readonly ShellWord[]): boolean {
  return words.every(({ pieces }) =>
    pieces.every(
      ({ kind, text }) =>
        kind === 'literal' ||
        kind === 'glob' ||
        kind === 'tilde' ||
        (kind === 'variable' && /^\$(?:HOME|PWD)$/.test(text)),
    ),
  );
}

function isFindTest(word: ShellWord): boolean {
  if (!mayBeOption(word)) return true;
  return /^-\d+$/.test(word.value) || (isStatic(word) && findTests.test(word.value));
}

/** `sed -n 10,20p FILE` and no other form: sed's other commands write files and run programs. */
function isSedPrint(args: readonly ShellWord[]): boolean {
  const { options, operands, unknown } = readOptions(args, { flags: 'nErsuz', long: ['quiet', 'silent'] });
  const [script] = operands;
  if (unknown || !script || !isStatic(script)) return false;
  const isQuiet = options.some((option) => /^(?:-n|--quiet|--silent)$/.test(option));
  return isQuiet && /^(?:\d+|\$)(?:,(?:\d+|\$))?p(?:;(?:\d+|\$)(?:,(?:\d+|\$))?p)*$/.test(script.value);
}
