import { isStatic, type ShellAssignment, type ShellPart, type ShellWord } from './analysis.ts';
import {
  isInterpreter,
  isShell,
  lookIntoInterpreter,
  lookIntoShell,
  lookIntoSource,
} from './interpreters.ts';
import { mayBeOption, readOptions } from './options.ts';
import { codeOf, nothing, type Wrapped, type WrappedCommand } from './wrapped.ts';
import { wrappers, type WrapperSpec } from './wrapper-table.ts';

/** As in `docker compose exec`. */
const maxNameWords = 3;
const findActions = new Set(['-exec', '-execdir', '-ok', '-okdir']);
const fdActions = new Set(['-x', '-X', '--exec', '--exec-batch']);
/** It runs the program in its arguments. */
const dynamicLoader = /^ld(?:64)?(?:-[\w.-]+)?\.so(?:\.\d+)*$/;
/** Words that a command gets from elsewhere. */
const input: ShellWord = { value: '', pieces: [{ kind: 'input', text: '' }] };

/** Finds the commands that a command runs: behind `sudo`, `xargs`, `find -exec`, `sh -c` and the like. */
export function lookThrough({
  words,
  assignments,
  redirects,
}: Pick<ShellPart, 'words' | 'assignments' | 'redirects'>): Wrapped {
  const name = baseName(words[0]?.value ?? '');
  const args = words.slice(1);
  if (isShell(name)) return lookIntoShell(args, redirects);
  if (dynamicLoader.test(name)) return guess(words);
  switch (name) {
    case 'eval':
      return args.length ? codeOf(args) : nothing;
    case 'trap':
      return lookIntoTrap(args[0]?.value === '--' ? args.slice(1) : args);
    case 'source':
    case '.':
      return lookIntoSource(args);
    case 'find':
      return lookIntoActions(words, findActions, /^[;+]$/);
    case 'fd':
    case 'fdfind':
      return {
        ...lookIntoActions(words, fdActions, /^;$/),
        isUnknown: args.some(({ value }) => !fdActions.has(value) && /^-[a-zA-Z]*[xX]|^--exec/.test(value)),
      };
    case 'su':
    case 'script':
      return lookForCode(args);
    case 'compgen':
    case 'complete':
      return args.some((word) => mayBeOption(word) && (!isStatic(word) || /^-\w*[CFWcdfpx]/.test(word.value)))
        ? { ...nothing, isUnknown: true }
        : nothing;
    case 'alias':
    case 'mapfile':
    case 'readarray':
    case 'bind':
    case 'enable':
    case 'hash':
      return args.some(({ value }) => /^-[Ccdfpx]|=/.test(value)) ? { ...nothing, isUnknown: true } : nothing;
  }
  const wrapper = wrapperOf(name, args);
  if (!wrapper) return isInterpreter(name) ? lookIntoInterpreter(name, args) : nothing;
  return wrapper === 'hidden' ? guess(words) : lookIntoWrapper(words, wrapper, assignments);
}

/** The wrapper that a command is, and by how many words; hidden when options stand in front of a subcommand that may be one. */
function wrapperOf(
  name: string,
  args: readonly ShellWord[],
): { spec: WrapperSpec; length: number } | 'hidden' | undefined {
  const values = args.map(({ value }) => value);
  for (let length = maxNameWords; length > 0; length--) {
    const key = [name, ...values.slice(0, length - 1)].join(' ');
    if (Object.hasOwn(wrappers, key) && key.split(' ').length === length)
      return { spec: wrappers[key]!, length };
  }
  const [first] = args;
  if (!first || !mayBeOption(first)) return undefined;
  const mayBe = Object.keys(wrappers).some(
    (key) =>
      key.startsWith(`${name} `) &&
      key
        .split(' ')
        .slice(1)
        .every((word) => values.includes(word)),
  );
  return mayBe ? 'hidden' : undefined;
}

export function baseName(command: string): string {
  return command
    .slice(command.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(/\.exe$/, '');
}

export function isWrapper(name: string): boolean {
  return (
    Object.hasOwn(wrappers, name) ||
    dynamicLoader.test(name) ||
    /^(?:eval|trap|su|script|source|\.)$/.test(name)
  );
}

function lookIntoWrapper(
  words: readonly ShellWord[],
  { spec, length }: { spec: WrapperSpec; length: number },
  outside: readonly ShellAssignment[],
): Wrapped {
  const isTransparent = spec.isTransparent === true;
  const read = readOptions(words.slice(length), spec, true);
  if (read.unknown) return guess(words);
  if (spec.queries?.some((query) => read.options.includes(query))) return nothing;

  const skipped = spec.operands ?? 0;
  let index = length + read.firstOperand + skipped;
  if (skipped && words[index]?.value === '--') index++;
  const assignments: ShellAssignment[] = [...outside];
  // `env -` is `env -i`.
  if (spec.takesAssignments && words[index]?.value === '-') index++;
  while (spec.takesAssignments && index < words.length) {
    const assignment = asAssignment(words[index]!);
    if (!assignment) break;
    assignments.push(assignment);
    index++;
  }
  const rest = words.slice(index);
  // Without a command, some start a shell that reads its commands from the standard input.
  const startsShell =
    spec.joinsWords === true ||
    spec.startsShell === true ||
    read.options.some((option) => /^-[si]$/.test(option));
  if (!rest.length) return { ...nothing, readsCode: startsShell };
  if (mayBeOption(rest[0]!) || rest[0]!.value.startsWith(':::')) return guess(words);
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

/** `su -c 'rm x' user`, `script -c 'rm x'` */
function lookForCode(args: readonly ShellWord[]): Wrapped {
  const at = args.findIndex(({ value }) => /^(?:-[a-z]*c|--command)$/.test(value));
  if (at >= 0 && args[at + 1]) return codeOf([args[at + 1]!]);
  const attached = args.find(({ value }) => /^(?:-c.|--command=)/.test(value));
  return attached ? { ...nothing, isUnknown: true } : { ...nothing, readsCode: true };
}

function lookIntoTrap(args: readonly ShellWord[]): Wrapped {
  return args.length > 1 && !args[0]!.value.startsWith('-') ? codeOf(args.slice(0, 1)) : nothing;
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

/** `{}` and `%` are where `find` and `xargs` put what they found. */
function withPlaceholders(word: ShellWord): ShellWord {
  return /\{\}|^%$/.test(word.value) ? { ...word, pieces: [{ kind: 'input', text: word.value }] } : word;
}

/** `A=b` as a word of its own. */
export function asAssignment(word: ShellWord): ShellAssignment | undefined {
  const match = /^([A-Za-z_]\w*)=(.*)$/s.exec(word.value);
  if (!match) return undefined;
  const [first, ...rest] = word.pieces;
  const head = `${match[1]}=`;
  const pieces = first?.text.startsWith(head)
    ? [{ kind: first.kind, text: first.text.slice(head.length) }, ...rest]
    : word.pieces;
  return { name: match[1]!, value: { value: match[2]!, pieces } };
}
