import { isStatic, type ShellWord } from './analysis.ts';

/**
 * Options of a command, by how many words they take. Short ones may be joined (`-xf a`), long ones may carry their value (`--file=a`).
 * Long names must be written out: an abbreviation counts as unknown.
 */
export interface OptionSpec {
  /** Letters of short options without a value. */
  flags?: string;
  /** Letters of short options with a value. */
  valued?: string;
  long?: readonly string[];
  longValued?: readonly string[];
  /** Whole words that look like options and are none of the above, such as `-version`. */
  whole?: RegExp;
}

export interface ReadOptions {
  /** Options as `-x` and `--long`, joined ones taken apart. */
  options: string[];
  operands: ShellWord[];
  /** Index of the first operand among the words that were given. */
  firstOperand: number;
  /** The first word that is an option of none of the kinds in the spec, or might turn out to be any option when the shell runs. */
  unknown?: ShellWord;
}

/**
 * Takes apart the words after a command's name.
 *
 * @param stopsAtOperand options after the first operand belong to something else, as with `sudo` and `git`
 */
export function readOptions(
  words: readonly ShellWord[],
  spec: OptionSpec,
  stopsAtOperand = false,
): ReadOptions {
  const read: ReadOptions = { options: [], operands: [], firstOperand: words.length };
  const addOperands = (from: number, operands: readonly ShellWord[]) => {
    if (!read.operands.length && operands.length) read.firstOperand = from;
    read.operands.push(...operands);
  };
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    if (word.value === '--' && isStatic(word)) {
      addOperands(i + 1, words.slice(i + 1));
      return read;
    }
    if (!mayBeOption(word)) {
      addOperands(i, stopsAtOperand ? words.slice(i) : [word]);
      if (stopsAtOperand) return read;
      continue;
    }
    const taken = isStatic(word) || word.value.startsWith('-') ? readOption(word, spec) : undefined;
    if (!taken) return { ...read, unknown: word };
    read.options.push(...taken.options);
    if (taken.takesNext) i++;
  }
  return read;
}

/** An expansion in front may turn into an option: a file may be called `-delete`. */
export function mayBeOption({ value, pieces }: ShellWord): boolean {
  const first = pieces.find(({ text }) => text !== '');
  if (!first) return false;
  if (first.kind === 'literal') return value.startsWith('-') && value !== '-';
  if (first.kind === 'variable' && /^\$(?:HOME|PWD)$/.test(first.text)) return false;
  return first.kind !== 'tilde';
}

function readOption(
  word: ShellWord,
  spec: OptionSpec,
): { options: string[]; takesNext: boolean } | undefined {
  const { value } = word;
  if (spec.whole?.test(value)) return { options: [value], takesNext: false };
  if (value.startsWith('--')) {
    const [name = '', attached] = value.slice(2).split(/=(.*)/s);
    if (attached === undefined && spec.long?.includes(name))
      return { options: [`--${name}`], takesNext: false };
    if (!spec.longValued?.includes(name)) return undefined;
    return { options: [`--${name}`], takesNext: attached === undefined };
  }
  const options: string[] = [];
  for (let at = 1; at < value.length; at++) {
    const letter = value[at]!;
    if (spec.valued?.includes(letter))
      return { options: [...options, `-${letter}`], takesNext: at === value.length - 1 };
    if (!spec.flags?.includes(letter)) return undefined;
    options.push(`-${letter}`);
  }
  return { options, takesNext: false };
}
