import type { ShellPart, ShellWord } from './analysis.ts';

/** A part in one spelling, whatever quotes and spaces it was written with. */
export function partText(part: ShellPart): string {
  const assignments = part.assignments
    .filter(({ name }) => !part.args.some(({ value }) => value.startsWith(`${name}=`)))
    .map(({ name, value }) => `${name}=${value ? wordText(value) : '()'}`);
  const words = wordsText(part.words);
  return [...assignments, ...(words ? [words] : [])].join(' ') + redirectText(part);
}

export function wordsText(words: readonly ShellWord[]): string {
  return words
    .filter(({ pieces }) => !(pieces[0]?.kind === 'input' && pieces[0].text === ''))
    .map((word, index) => (index === 0 && isReserved(word) ? quote(word.value) : wordText(word)))
    .join(' ');
}

/** Without quotes it would not be a name: an assignment, or a word of the grammar. */
function isReserved({ value, pieces }: ShellWord): boolean {
  return (
    pieces.every(({ kind }) => kind === 'literal') &&
    /=|^(?:if|then|elif|else|fi|for|select|while|until|do|done|case|esac|in|function|time|coproc)$/.test(
      value,
    )
  );
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Its redirects, each with a space in front; those between descriptors left out. */
export function redirectText(part: ShellPart): string {
  return part.redirects
    .filter(({ op, target }) => !(op.endsWith('&') && /^(?:\d+-?|-)$/.test(target.value)))
    .map(({ op, target }) => ` ${op} ${wordText(target)}`)
    .join('');
}

/** Plain text stays plain, anything a shell would read is quoted; expansions stay as they are, outside of quotes. */
function wordText({ pieces, value }: ShellWord): string {
  if (value === '') return "''";
  return pieces
    .map(({ kind, text }) => (kind === 'literal' && /[^\w@%+=:,./-]/.test(text) ? quote(text) : text))
    .join('');
}
