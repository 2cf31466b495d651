/** What a piece of a word stands for. All but `literal` are known only when the shell runs; `tilde` is known where the home directory is. */
export type PieceKind =
  'literal' | 'tilde' | 'variable' | 'glob' | 'brace' | 'expansion' | 'arithmetic' | 'substitution' | 'input';

export interface WordPiece {
  kind: PieceKind;
  /** Quotes removed; what is expanded stays as written. */
  text: string;
}

/** One word of a command, as the command gets it. */
export interface ShellWord {
  /** Quotes removed, expansions as written. */
  value: string;
  pieces: readonly WordPiece[];
}

export interface ShellAssignment {
  /** With its subscript, as `A[1]`. */
  name: string;
  /** Absent for arrays. */
  value?: ShellWord;
}

export interface ShellRedirect {
  /** `>`, `>>`, `>|`, `<`, `<>`, `<&`, `>&`, `&>`, `&>>`, `<<<`, `<<` */
  op: string;
  /** The file or descriptor; of `<<<` and `<<` the text itself. */
  target: ShellWord;
}

/** How a part follows the one before it. */
export type ShellJoin = 'start' | '&&' | '||' | '|' | ';' | '&';

/**
 * Where a part comes from: the list itself, a compound command, a substitution, the arguments of another command (`sudo rm x`),
 * or a guess at where a command begins in the arguments of a wrapper whose options are not all known.
 */
export type ShellOrigin = 'list' | 'compound' | 'substitution' | 'wrapped' | 'guessed';

/**
 * What a command does beyond what its name says: an option runs code, or writes a file, or a word may turn out to be such an option. An
 * allow rule covers a write or an unsure word only where it spells it out, and code never.
 */
export interface HiddenUse {
  kind: 'code' | 'write' | 'unsure';
  /** The option, word or variable, for a person. */
  by: string;
  /** Where its last word stands among the words of the part; 0 for a variable in front. */
  index: number;
  /** What is run or written, where it is one word. */
  value?: ShellWord;
}

/** One simple command. */
export interface ShellPart {
  /** The value of the first word; empty when the part only assigns or redirects. */
  name: string;
  args: readonly ShellWord[];
  /** The name and the arguments. */
  words: readonly ShellWord[];
  assignments: readonly ShellAssignment[];
  redirects: readonly ShellRedirect[];
  isBackground: boolean;
  join: ShellJoin;
  /** Its standard input is the output of another command. */
  readsPipe: boolean;
  /** What follows it with `&&` runs when it fails. */
  isNegated: boolean;
  origin: ShellOrigin;
  /** The wrapper that runs it, and the index of its name among the wrapper's words; absent index: it is inside one word. */
  wrapper?: { part: ShellPart; index?: number };
  hidden: readonly HiddenUse[];
  /** It only runs the command in its arguments, in the same way (`time`, `timeout 5`). */
  isTransparent: boolean;
}

/** What was seen anywhere in the command, substitutions and wrapped commands included. */
export type ShellFeature =
  | 'command_substitution'
  | 'process_substitution'
  | 'expansion_operator'
  | 'arithmetic'
  | 'extended_glob'
  | 'subshell'
  | 'group'
  | 'control_flow'
  | 'test'
  | 'function'
  | 'coprocess'
  | 'negation'
  | 'here_doc'
  | 'here_string'
  | 'ansi_c_escape'
  /** Code that rules can't read: `eval "$X"`, `… | sh`, `python -c …`, `git -c core.pager=…`, a wrapper that can't be looked through. */
  | 'unknown_code'
  /** A command whose name is known only when it runs: `$X y`. */
  | 'dynamic_name';

interface ShellFindings {
  source: string;
  parts: readonly ShellPart[];
  features: ReadonlySet<ShellFeature>;
}

/** When it is not `ok`, `why` says so in words for a person, and `parts` are those that could be made out. */
export type ShellAnalysis = ({ ok: true } | { ok: false; why: string }) & ShellFindings;

/** A word that is the same whenever the command runs, given the home directory. */
export function isStatic(word: ShellWord): boolean {
  return word.pieces.every(({ kind }) => kind === 'literal' || kind === 'tilde');
}

export function literalWord(value: string): ShellWord {
  return { value, pieces: [{ kind: 'literal', text: value }] };
}
