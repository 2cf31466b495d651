import { isStatic, type ShellAssignment, type ShellPart, type ShellWord } from './analysis.ts';
import { mayBeOption } from './options.ts';

/**
 * Where bash evaluates what a variable holds: as arithmetic, as a name, as a prompt. A value such as `a[$(rm x)]` runs a command there,
 * and so does a value that leads to it by its name. `always` stands for code that is known only when it runs, `byValue` for code
 * only if some value of the command is loose.
 */
export type Evaluation = 'always' | 'byValue' | undefined;

type Found = Pick<ShellPart, 'words' | 'assignments'>;

/** Bash reads what is assigned to them as arithmetic. */
const numbers =
  /^(?:RANDOM|SRANDOM|SECONDS|OPTIND|LINENO|HISTCMD|BASHPID|EPOCHSECONDS|EPOCHREALTIME|UID|EUID|PPID)$/;
const declares = /^(?:declare|typeset|local|export|readonly)$/;
/** They take names of variables, and some fill them. */
const takesNames = /^(?:read|mapfile|readarray|getopts|printf|unset|wait|coproc)$/;
const fills = /^(?:read|mapfile|readarray|getopts|set|source|\.)$/;

export function isEvaluatedNumber(name: string): boolean {
  return numbers.test(name);
}

/** What bash evaluates of a simple command. */
export function evaluationOf(name: string, { words, assignments }: Found): Evaluation {
  const args = words.slice(1);
  if (assignments.some(isEvaluatedAssignment)) return 'always';
  if (name === 'test' || name === '[') return evaluationOfTest(args);
  if (name === 'let') return 'byValue';
  const holdsSubscript = args.some(({ value }) => /^[\w-]*\[/.test(value));
  if (declares.test(name)) {
    if (holdsSubscript) return 'always';
    return args.some((word) => mayBeOption(word) && (!isStatic(word) || /^[-+]\w*[iaAn]/.test(word.value)))
      ? 'byValue'
      : undefined;
  }
  if (!takesNames.test(name)) return undefined;
  const isNumber = args.some(({ value }) => numbers.test(value.replace(/^-\w/, '')));
  if (name === 'printf' && !fillsVariable(args)) return undefined;
  const [first, second] = args;
  const holdsAttached = name === 'printf' && `${first?.value}${second?.value}`.includes('[');
  return isNumber || holdsSubscript || holdsAttached ? 'always' : undefined;
}

/** `printf -v X`, `printf -vX` */
function fillsVariable([first]: readonly ShellWord[]): boolean {
  return first?.value.startsWith('-v') === true;
}

function isEvaluatedAssignment({ name, value }: ShellAssignment): boolean {
  const [variable = '', subscript] = name.split(/\[(.*)\]$/s);
  if (subscript !== undefined && !/^\d+$/.test(subscript)) return true;
  return numbers.test(variable) && !(value && isStatic(value) && /^\d*$/.test(value.value));
}

/** `-v` evaluates the subscript in the word after it, and a wildcard may turn into both. */
function evaluationOfTest(args: readonly ShellWord[]): Evaluation {
  if (args.some(({ value, pieces }) => value.includes('[') || pieces.some(isUnsettled))) return 'always';
  return args.every(isStatic) ? undefined : 'byValue';
}

function isUnsettled({ kind }: ShellWord['pieces'][number]): boolean {
  return kind === 'glob' || kind === 'brace' || kind === 'input';
}

/** What bash evaluates of an expansion, as it is written. */
export function evaluationOfExpansion(text: string): Evaluation {
  if (/@[a-zA-Z]\}?$/.test(text)) return 'always';
  return /^\$\{!|\[(?!(?:\d+|[@*])\])|:(?![-=?+])/.test(text) ? 'byValue' : undefined;
}

/** Whether the words of a command may leave a value in a variable that runs a command where it is evaluated. */
export function leavesLooseValue(name: string, { words, assignments }: Found): boolean {
  return (
    fills.test(name) ||
    (name === 'printf' && fillsVariable(words.slice(1))) ||
    assignments.some(({ value }) => !value || isLoose(value)) ||
    words.some(({ value }) => isPayload(value)) ||
    (declares.test(name) && words.slice(1).some((word) => /=/.test(word.value) && isLoose(word)))
  );
}

export function isLoose(word: ShellWord): boolean {
  return !isStatic(word) || /[[$`]/.test(word.value);
}

/** `a[$(rm x)]` */
export function isPayload(text: string): boolean {
  return /\[[^]*[$`]/.test(text);
}
