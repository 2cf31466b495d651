import { isStatic, type ShellAssignment, type ShellPart, type ShellWord } from './analysis.ts';
import { mayBeOption, readOptions, type OptionSpec } from './options.ts';

/** A command among the arguments of another. */
interface WrappedCommand {
  words: readonly ShellWord[];
  assignments?: readonly ShellAssignment[];
  /** Where its name stands among the wrapper's words. */
  index: number;
  isGuess?: true;
}

/** What a command runs besides itself. */
export interface Wrapped {
  commands: readonly WrappedCommand[];
  /** Shell code in one word. */
  scripts: readonly string[];
  /** It runs something that can't be seen. */
  isUnknown: boolean;
  /** It runs what it reads from its standard input. */
  readsCode: boolean;
  /** It runs just the wrapped command, as the same user and on the same machine. */
  isTransparent: boolean;
}

interface WrapperSpec extends OptionSpec {
  /** Operands before the command, as the 5 of `timeout 5 ls`. */
  operands?: number;
  takesAssignments?: boolean;
  isTransparent?: boolean;
  /** Options with which it runs nothing. */
  queries?: readonly string[];
  /** Adds arguments of its own to the command. */
  addsInput?: boolean;
  /** Joins its words to code for a shell. */
  joinsWords?: boolean;
}

const wrappers: Readonly<Record<string, WrapperSpec>> = {
  builtin: { isTransparent: true },
  busybox: {},
  caffeinate: { flags: 'disum', valued: 'tw', isTransparent: true },
  chronic: { isTransparent: true },
  chroot: { operands: 1, longValued: ['userspec', 'groups'] },
  command: { flags: 'pvV', queries: ['-v', '-V'], isTransparent: true },
  doas: { flags: 'nLs', valued: 'uC' },
  env: {
    flags: 'i0v',
    valued: 'u',
    long: ['ignore-environment', 'null', 'debug'],
    longValued: ['unset'],
    whole: /^-$/,
    takesAssignments: true,
    isTransparent: true,
  },
  exec: { flags: 'cl', valued: 'a', isTransparent: true },
  firejail: { long: ['quiet', 'private'] },
  flock: { flags: 'nxsuo', valued: 'wE', operands: 1 },
  ionice: { flags: 't', valued: 'cn', isTransparent: true },
  nice: { valued: 'n', longValued: ['adjustment'], whole: /^-\d+$/, isTransparent: true },
  nohup: { isTransparent: true },
  parallel: { flags: 'k', valued: 'j', addsInput: true },
  proot: {},
  runuser: { valued: 'u' },
  setsid: { flags: 'fwc', isTransparent: true },
  ssh: { flags: 'ATtnqvCNfx46', valued: 'pilo', operands: 1, joinsWords: true },
  stdbuf: { valued: 'ioe', longValued: ['input', 'output', 'error'], isTransparent: true },
  strace: { flags: 'f' },
  sudo: {
    flags: 'ABbEHKkNnPSi',
    valued: 'ghpurTtU',
    long: ['non-interactive', 'stdin', 'login', 'set-home', 'preserve-env'],
    longValued: ['user', 'group', 'host', 'prompt'],
    takesAssignments: true,
  },
  'systemd-run': { long: ['user', 'scope', 'quiet', 'wait', 'pty'] },
  taskset: { operands: 1, flags: 'c' },
  time: { flags: 'pv', isTransparent: true },
  timeout: {
    flags: 'v',
    valued: 'ks',
    long: ['foreground', 'preserve-status', 'verbose'],
    longValued: ['kill-after', 'signal'],
    operands: 1,
    isTransparent: true,
  },
  toybox: {},
  unbuffer: { flags: 'p', isTransparent: true },
  unshare: { flags: 'muinpUr' },
  watch: { flags: 'bdetgcx', valued: 'n', joinsWords: true },
  xargs: {
    flags: '0rtpx',
    valued: 'IJLPnsdEa',
    long: ['null', 'no-run-if-empty', 'verbose', 'exit'],
    longValued: [
      'max-args',
      'max-procs',
      'max-lines',
      'delimiter',
      'arg-file',
      'replace',
      'max-chars',
      'eof',
    ],
    addsInput: true,
  },
};

const shells = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'mksh', 'ash', 'rbash', 'csh', 'tcsh', 'fish']);
const interpreters = new Set([
  'python',
  'python3',
  'perl',
  'ruby',
  'node',
  'php',
  'lua',
  'deno',
  'bun',
  'pwsh',
]);
const findActions = new Set(['-exec', '-execdir', '-ok', '-okdir']);
const fdActions = new Set(['-x', '-X', '--exec', '--exec-batch']);
/** Words that a command gets from elsewhere. */
const input: ShellWord = { value: '', pieces: [{ kind: 'input', text: '' }] };

const nothing: Wrapped = {
  commands: [],
  scripts: [],
  isUnknown: false,
  readsCode: false,
  isTransparent: false,
};

/** Finds the commands that a command runs: behind `sudo`, `xargs`, `find -exec`, `sh -c` and the like. */
export function lookThrough({
  words,
  assignments,
  redirects,
}: Pick<ShellPart, 'words' | 'assignments' | 'redirects'>): Wrapped {
  const name = baseName(words[0]?.value ?? '');
  const args = words.slice(1);
  if (shells.has(name)) return lookIntoShell(args, redirects);
  switch (name) {
    case 'eval':
      return args.length ? codeOf(args) : nothing;
    case 'trap':
      return args.length > 1 && !args[0]!.value.startsWith('-') ? codeOf(args.slice(0, 1)) : nothing;
    case 'find':
      return lookIntoActions(words, findActions, /^[;+]$/);
    case 'fd':
    case 'fdfind':
      return lookIntoActions(words, fdActions, /^;$/);
    case 'su':
    case 'script':
      return lookForCode(args);
    case 'alias':
    case 'mapfile':
    case 'readarray':
    case 'complete':
    case 'bind':
    case 'enable':
    case 'hash':
      return args.some(({ value }) => /^-[Ccdfpx]|=/.test(value)) ? { ...nothing, isUnknown: true } : nothing;
  }
  if (isInterpreter(name)) return { ...nothing, readsCode: args.every(({ value }) => value.startsWith('-')) };
  const spec = Object.hasOwn(wrappers, name) ? wrappers[name] : undefined;
  return spec ? lookIntoWrapper(words, spec, assignments) : nothing;
}

export function baseName(command: string): string {
  return command.slice(command.lastIndexOf('/') + 1).toLowerCase();
}

/** Shells, and programs that run code in their arguments or from their standard input. */
export function isInterpreter(name: string): boolean {
  return shells.has(name) || interpreters.has(name.replace(/[\d.]+$/, ''));
}

export function isWrapper(name: string): boolean {
  return Object.hasOwn(wrappers, name) || /^(?:eval|trap|su|script|source|\.)$/.test(name);
}

function lookIntoWrapper(
  words: readonly ShellWord[],
  spec: WrapperSpec,
  outside: readonly ShellAssignment[],
): Wrapped {
  const isTransparent = spec.isTransparent === true;
  const read = readOptions(words.slice(1), spec, true);
  if (read.unknown) return guess(words);
  if (spec.queries?.some((query) => read.options.includes(query))) return nothing;

  const skipped = spec.operands ?? 0;
  let index = 1 + read.firstOperand + skipped;
  const assignments: ShellAssignment[] = [...outside];
  while (spec.takesAssignments && index < words.length) {
    const assignment = asAssignment(words[index]!);
    if (!assignment) break;
    assignments.push(assignment);
    index++;
  }
  const rest = words.slice(index);
  // Without a command, some start a shell that reads its commands from the standard input.
  const startsShell = spec.joinsWords === true || read.options.some((option) => /^-[si]$/.test(option));
  if (!rest.length) return { ...nothing, readsCode: startsShell };
  if (mayBeOption(rest[0]!)) return guess(words);
  if (spec.joinsWords) return codeOf(rest);
  const inner = spec.addsInput ? [...rest.map(withPlaceholders), input] : rest;
  return { ...nothing, commands: [{ words: inner, assignments, index }], isTransparent };
}

/** Any word of it may begin the command: enough for rules that forbid, never for rules that allow. */
function guess(words: readonly ShellWord[]): Wrapped {
  const candidates = words.slice(1, 40);
  return {
    ...nothing,
    commands: candidates.map((_, at) => ({ words: words.slice(at + 1), index: at + 1, isGuess: true })),
    scripts: candidates.filter((word) => isStatic(word) && /\s/.test(word.value)).map(({ value }) => value),
    isUnknown: true,
  };
}

function lookIntoShell(args: readonly ShellWord[], redirects: ShellPart['redirects']): Wrapped {
  let takesCode = false;
  let at = 0;
  for (; at < args.length; at++) {
    const { value } = args[at]!;
    if (value === '--' || value === '-') {
      at++;
      break;
    }
    if (!/^[-+]./.test(value)) break;
    if (/^--(?:rcfile|init-file)$/.test(value) || /^[-+][a-z]*[oO]$/.test(value)) at++;
    if (/^-[a-zA-Z]*c/.test(value)) takesCode = true;
  }
  const operand = args[at];
  if (takesCode) return operand ? codeOf([operand]) : { ...nothing, isUnknown: true };
  const readsInput = !operand || args.slice(0, at).some(({ value }) => /^-[a-z]*s/.test(value));
  if (!readsInput) return nothing;
  const texts = redirects.filter(({ op }) => op === '<<' || op === '<<<');
  return texts.length
    ? texts.map(({ target }) => codeOf([target])).reduce(merge)
    : { ...nothing, readsCode: true };
}

/** `su -c 'rm x' user`, `script -c 'rm x'` */
function lookForCode(args: readonly ShellWord[]): Wrapped {
  const at = args.findIndex(({ value }) => /^(?:-[a-z]*c|--command)$/.test(value));
  if (at >= 0 && args[at + 1]) return codeOf([args[at + 1]!]);
  const attached = args.find(({ value }) => /^(?:-c.|--command=)/.test(value));
  return attached ? { ...nothing, isUnknown: true } : { ...nothing, readsCode: true };
}

function lookIntoActions(words: readonly ShellWord[], actions: ReadonlySet<string>, end: RegExp): Wrapped {
  const commands: WrappedCommand[] = [];
  words.forEach(({ value }, at) => {
    if (!actions.has(value)) return;
    const rest = words.slice(at + 1);
    const length = rest.findIndex((word) => end.test(word.value));
    const inner = length < 0 ? rest : rest.slice(0, length);
    if (inner.length) commands.push({ words: inner.map(withPlaceholders), index: at + 1 });
  });
  return { ...nothing, commands };
}

function codeOf(words: readonly ShellWord[]): Wrapped {
  return words.every(isStatic)
    ? { ...nothing, scripts: [words.map(({ value }) => value).join(' ')] }
    : { ...nothing, isUnknown: true };
}

function merge(one: Wrapped, other: Wrapped): Wrapped {
  return {
    ...one,
    scripts: [...one.scripts, ...other.scripts],
    isUnknown: one.isUnknown || other.isUnknown,
  };
}

/** `{}` and `%` are where `find` and `xargs` put what they found. */
function withPlaceholders(word: ShellWord): ShellWord {
  return /\{\}|^%$/.test(word.value) ? { ...word, pieces: [{ kind: 'input', text: word.value }] } : word;
}

function asAssignment(word: ShellWord): ShellAssignment | undefined {
  const match = /^([A-Za-z_]\w*)=(.*)$/s.exec(word.value);
  if (!match) return undefined;
  const [first, ...rest] = word.pieces;
  const head = `${match[1]}=`;
  const pieces = first?.text.startsWith(head)
    ? [{ kind: first.kind, text: first.text.slice(head.length) }, ...rest]
    : word.pieces;
  return { name: match[1]!, value: { value: match[2]!, pieces } };
}
