import type { DoubleQuotedChild, Word, WordPart } from 'unbash';
import type { ShellFeature, ShellWord, WordPiece } from './analysis.ts';

/**
 * Reads a word of the grammar: what the command gets, and which pieces of it are known only when the shell runs.
 *
 * @param mark notes what the word holds
 */
export function readWord(word: Word, mark: (feature: ShellFeature) => void): ShellWord {
  const pieces = word.parts
    ? word.parts.flatMap((part) => readPart(part, mark))
    : [{ kind: 'literal' as const, text: word.value }];
  const tilde = /^~[^/\\'"$`]*/.exec(word.text)?.[0];
  const all = tilde === undefined ? pieces : splitTilde(tilde, pieces);
  return { value: all.map(({ text }) => text).join(''), pieces: all };
}

/** A quoted tilde is a plain character, so this looks at the word as it was written. */
function splitTilde(tilde: string, pieces: WordPiece[]): WordPiece[] {
  const [first, ...rest] = pieces;
  if (!first?.text.startsWith(tilde)) return pieces;
  const after = first.text.slice(tilde.length);
  return [{ kind: 'tilde', text: tilde }, ...(after ? [{ kind: first.kind, text: after }] : []), ...rest];
}

function readPart(part: WordPart | DoubleQuotedChild, mark: (feature: ShellFeature) => void): WordPiece[] {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
      return [{ kind: 'literal', text: part.value }];
    case 'AnsiCQuoted':
      // Shells without $'…' end it at the first quote, escaped or not: what follows would be code there and text here.
      if (part.text.includes("\\'")) mark('ansi_c_escape');
      return [{ kind: 'literal', text: part.value }];
    case 'DoubleQuoted':
    case 'LocaleString':
      return part.parts.length
        ? part.parts.flatMap((child) => readPart(child, mark))
        : [{ kind: 'literal', text: '' }];
    case 'SimpleExpansion':
      return [{ kind: 'variable', text: part.text }];
    case 'ParameterExpansion':
      if (!part.operation && !part.prefix && !part.index)
        return [{ kind: 'variable', text: `$${part.parameter}` }];
      mark('expansion_operator');
      return [{ kind: 'expansion', text: part.text }];
    case 'ArithmeticExpansion':
      mark('arithmetic');
      if (!isPlainArithmetic(part.text)) mark('unknown_code');
      return [{ kind: 'arithmetic', text: part.text }];
    case 'CommandExpansion':
      mark('command_substitution');
      return [{ kind: 'substitution', text: part.text }];
    case 'ProcessSubstitution':
      mark('process_substitution');
      return [{ kind: 'substitution', text: part.text }];
    case 'Glob':
      if (part.parts) for (const inner of part.parts) readPart(inner, mark);
      return [{ kind: 'glob', text: part.value }];
    case 'ExtendedGlob':
      mark('extended_glob');
      return [{ kind: 'glob', text: part.text }];
    case 'BraceExpansion':
      return [{ kind: 'brace', text: part.text }];
  }
}

/** Of `((…` bash makes nested subshells when it is no arithmetic after all; without quotes, `;` and substitutions that makes no difference. */
export function isPlainArithmetic(text: string): boolean {
  return /^[\w\s+\-*/%<>=!&|^~?:,$()[\]{}]*$/.test(text) && !/\n|[^$]\$\(|<\(|>\(/.test(text);
}
