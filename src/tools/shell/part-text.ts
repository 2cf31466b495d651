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
    .map(wordText)
    .join(' ');
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
    .map(({ kind, text }) =>
      kind === 'literal' && /[^\w@%+=:,./-]/.test(text) ? `'${text.replaceAll("'", `'\\''`)}'` : text,
    )
    .join('');
}
