import type { PermissionDecision } from '../../core/permission.ts';
import {
  defaultPathPolicy,
  dangerousPath,
  matchesWildcard,
  type PathPolicy,
} from '../paths/sensitive-paths.ts';
import { type ShellAnalysis, type ShellFeature, type ShellPart, type ShellWord } from './analysis.ts';
import { beforeDoubleDash, dangerOf, isRecursive } from './dangers.ts';
import { directoriesOf, resolveWord } from './directories.ts';
import { inUnknownFolder, writers } from './reached-paths.ts';
import { isNetworkDevice, writtenByRedirect } from './read-only.ts';
import { isWebAddress, segmentsWithGaps, spellings } from './spellings.ts';
import { readsSecret } from './secrets.ts';
import { isInterpreter } from './interpreters.ts';
import { baseName } from './wrappers.ts';

/** Where a command runs and what is guarded there. All paths absolute. */
export interface CommandContext {
  workingDirectories: readonly string[];
  home: string;
  cwd: string;
  /** Lists that replace the default ones. */
  paths?: Partial<PathPolicy>;
}

/** In the order in which a person wants to hear of them. */
const whatItHolds: readonly (readonly [ShellFeature, string])[] = [
  ['command_substitution', 'a command inside another ($(…) or `…`)'],
  ['process_substitution', 'a process substitution (<(…) or >(…))'],
  ['unknown_code', 'code that rules cannot read, or that is known only when it runs'],
  ['dynamic_name', 'a command whose name is known only when it runs'],
  ['function', 'a function definition'],
  ['control_flow', 'loops or conditions'],
  ['subshell', 'a subshell'],
  ['coprocess', 'a coprocess'],
  ['test', 'a [[ … ]] test'],
  ['arithmetic', 'arithmetic'],
  ['expansion_operator', 'an expansion with an operator (such as ${X:-…})'],
  ['extended_glob', 'an extended glob'],
  ['ansi_c_escape', "a quote inside $'…', which shells read differently"],
];

/**
 * What a person must see whatever the rules allow: an ask with `isSafety`, or undefined when nothing is. It is no statement that the
 * command is harmless.
 */
export function checkCommand(
  analysis: ShellAnalysis,
  context: CommandContext,
): PermissionDecision | undefined {
  const reason = problemOf(analysis, context);
  return reason === undefined ? undefined : { behavior: 'ask', reason, isSafety: true };
}

function problemOf(analysis: ShellAnalysis, context: CommandContext): string | undefined {
  if (!analysis.ok) return `the command can't be judged: ${analysis.why}`;
  const danger = dangerIn(analysis, context);
  if (danger) return danger;
  const hidden = hiddenCode(analysis);
  if (hidden) return hidden;
  const secret = readsSecret(analysis, context.paths, context);
  if (secret !== undefined) return `the command may show a secret: ${secret}`;
  const lost = inUnknownFolder(analysis, context);
  if (lost) return `${lost.value} works in a folder that is known only when the command runs`;
  const held = whatItHolds.find(([feature]) => analysis.features.has(feature));
  return held && `the command holds ${held[1]}`;
}

function dangerIn({ parts }: ShellAnalysis, context: CommandContext): string | undefined {
  const directories = directoriesOf(parts, context);
  for (const [index, part] of parts.entries()) {
    if (part.origin === 'guessed') continue;
    const danger = dangerOf(part);
    if (danger) return `${part.name} ${danger}`;
    if (part.redirects.some(({ target }) => isNetworkDevice(target))) return 'a redirect opens a connection';
    if (runsDownload(part, parts.slice(0, index))) return `${part.name} would run what is downloaded`;
    const problem =
      criticalIn(part, directories[index], context) ?? dangerousTarget(part, directories[index], context);
    if (problem) return problem;
  }
  return undefined;
}

function hiddenCode({ parts }: ShellAnalysis): string | undefined {
  for (const { name, hidden, origin } of parts) {
    const code = origin === 'guessed' ? undefined : hidden.find(({ kind }) => kind === 'code');
    if (code)
      return `${name || 'a variable'} would run code by ${code.by}, which rules cannot read and is known only when it runs`;
  }
  return undefined;
}

function runsDownload(part: ShellPart, before: readonly ShellPart[]): boolean {
  return (
    part.readsPipe &&
    isInterpreter(baseName(part.name)) &&
    before.some(({ name }) => /^(?:curl|wget|fetch|http|https|aria2c|nc|ncat)$/.test(baseName(name)))
  );
}

/** Deleting, moving or opening up what holds everything else: `/`, its children, the home directory, a working directory, all of a folder. */
function criticalIn(
  part: ShellPart,
  directories: readonly string[] | undefined,
  context: CommandContext,
): string | undefined {
  const name = baseName(part.name);
  if (!/^(?:rm|rmdir|mv|chmod|chown|chgrp|unlink|find)$/.test(name)) return undefined;
  const values = part.args.map(({ value }) => value);
  if (name === 'find' && !values.includes('-delete')) return undefined;
  const options = beforeDoubleDash(values);
  const isForced = isRecursive(values) || options.some((value) => /^-[a-zA-Z]*f|^--f/.test(value));
  const operands = part.args.filter(({ value }, index) => !value.startsWith('-') || index >= options.length);
  const sources = name === 'mv' ? operands.slice(0, -1) : name === 'find' ? operands.slice(0, 1) : operands;
  for (const word of sources.flatMap(spellings)) {
    if (word.value === '--') continue;
    const critical = isCritical(word, directories, context);
    if (critical) return `${part.name} ${word.value} would reach ${critical}`;
    if (name === 'rm' && isForced && isUnknownTree(word))
      return `${part.name} deletes by force what is known only when it runs (${word.value || 'from its input'})`;
  }
  return undefined;
}

function isCritical(
  word: ShellWord,
  directories: readonly string[] | undefined,
  { home, workingDirectories, cwd }: CommandContext,
): string | undefined {
  const everything = /^(.*\/)?(?:\*+|\.\*|\.\[\^?.*|\{.*\*.*\})$/.exec(word.value);
  const hasWildcard = word.pieces.some(({ kind }) => kind === 'glob' || kind === 'brace');
  if (hasWildcard && everything) return 'everything in a folder';
  const guarded = new Set([home, cwd, ...workingDirectories].map(normalize));
  for (const path of resolveWord(word, directories, home) ?? []) {
    const normal = normalize(path);
    if (normal === '/') return 'the root of the file system';
    if (!normal.slice(1).includes('/') && normal !== '/tmp') return 'a folder of the root';
    for (const folder of guarded)
      if (folder === normal || folder.startsWith(`${normal}/`))
        return folder === normalize(home) ? 'the home directory' : 'a working directory';
  }
  return undefined;
}

/** A variable may be empty: `rm -rf $X/` is then `rm -rf /`. */
function isUnknownTree(word: ShellWord): boolean {
  return (
    !/^\$(?:HOME|PWD)\/./.test(word.value) &&
    word.pieces.some(({ kind }) => kind === 'variable' || kind === 'input')
  );
}

function dangerousTarget(
  part: ShellPart,
  directories: readonly string[] | undefined,
  context: CommandContext,
): string | undefined {
  const redirected = [
    ...writtenByRedirect(part),
    ...part.hidden.flatMap(({ kind, value }) => (kind === 'write' && value ? [value] : [])),
  ];
  const operands = writers.test(baseName(part.name)) ? part.args : [];
  for (const word of [...redirected, ...operands].flatMap(spellings)) {
    if (isWebAddress(word)) continue;
    const why = whyDangerous(word, directories, context);
    if (why) return `${part.name || 'a redirect'} touches ${word.value}: ${why}`;
  }
  return undefined;
}

function whyDangerous(
  word: ShellWord,
  directories: readonly string[] | undefined,
  context: CommandContext,
): string | undefined {
  const resolved = resolveWord(word, directories, context.home) ?? [word.value];
  const candidates = resolved.flatMap((path) => [path, ...afterMarks(path)]);
  for (const path of candidates) {
    const why = dangerousPath(belowWorkingDirectory(normalize(path), context), context.paths);
    if (why) return why;
  }
  const { dangerousFiles, dangerousDirectories } = { ...defaultPathPolicy, ...context.paths };
  const names = [...dangerousFiles, ...dangerousDirectories];
  for (const pieces of segmentsWithGaps(word)) {
    if (pieces.length < 2 || pieces.join('') === '') continue;
    // A wildcard in front leaves dotfiles out.
    const hit = names.find(
      (name) => !(name.startsWith('.') && pieces[0] === '') && matchesWildcard(name, pieces),
    );
    if (hit) return `it may stand for ${hit}`;
  }
  return undefined;
}

/** `of=/dev/sda`, `--output=.bashrc`, `-o.bashrc` */
function afterMarks(path: string): string[] {
  const marked = /=(.+)$/s.exec(path)?.[1];
  const attached = /^-[a-zA-Z](.+)$/s.exec(path.slice(path.lastIndexOf('/-') + 1))?.[1];
  return [marked, attached].filter((found) => found !== undefined);
}

/** The folders above a working directory are the owner's choice, and may well be called `.vscode`. */
function belowWorkingDirectory(path: string, { workingDirectories }: CommandContext): string {
  const folder = workingDirectories.map(normalize).find((directory) => path.startsWith(`${directory}/`));
  return folder === undefined ? path : path.slice(folder.length + 1);
}

function normalize(path: string): string {
  const done: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') done.pop();
    else if (segment !== '' && segment !== '.') done.push(segment);
  }
  return (path.startsWith('/') ? '/' : '') + done.join('/');
}
