import { isStatic, type ShellAssignment, type ShellWord } from './analysis.ts';

/** A command among the arguments of another. */
export interface WrappedCommand {
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

export const nothing: Wrapped = {
  commands: [],
  scripts: [],
  isUnknown: false,
  readsCode: false,
  isTransparent: false,
};

/** Words that are joined to code for a shell. */
export function codeOf(words: readonly ShellWord[]): Wrapped {
  return words.every(isStatic)
    ? { ...nothing, scripts: [words.map(({ value }) => value).join(' ')] }
    : { ...nothing, isUnknown: true };
}
