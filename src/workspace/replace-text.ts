export interface TextChange {
  oldText: string;
  newText: string;
  replaceAll: boolean;
}

const maxLinesCompared = 20_000;
const maxPlacesNamed = 10;

/** @throws Error that shows the model what is there instead. */
export function replaceText(
  path: string,
  text: string,
  { oldText, newText, replaceAll }: TextChange,
): { text: string; count: number } {
  if (oldText === newText) throw new Error('oldText and newText are the same: there is nothing to change');
  const pieces = text.split(oldText);
  const count = pieces.length - 1;
  if (count === 0) throw new Error(`oldText is not in ${path}.${nearest(text, oldText)}`);
  if (count > 1 && !replaceAll)
    throw new Error(
      `oldText is in ${path} ${count} times (${placesOf(pieces)}): give more of the text around the one you mean, or set replaceAll`,
    );
  return { text: pieces.join(newText), count };
}

function placesOf(pieces: readonly string[]): string {
  let line = 1;
  const lines = pieces.slice(0, maxPlacesNamed + 1).map((piece) => (line += piece.split('\n').length - 1));
  const named = lines.slice(0, -1).slice(0, maxPlacesNamed);
  return `near lines ${named.join(', ')}${pieces.length - 1 > maxPlacesNamed ? ' …' : ''}`;
}

/** The lines that are most like what was looked for. */
function nearest(text: string, oldText: string): string {
  const lines = text.split('\n').slice(0, maxLinesCompared);
  const wanted = oldText.replace(/\n$/, '').split('\n');
  const bare = (line: string) => line.replaceAll(/\s+/g, '');
  const wantedBare = wanted.map(bare);
  const anchor = wantedBare.reduce(
    (best, line, at) => (line.length > wantedBare[best]!.length ? at : best),
    0,
  );
  const grams = gramsOf(wantedBare[anchor] ?? '');
  let best = { at: -1, likeness: 0.5 };
  for (const [at, line] of lines.entries()) {
    const likeness = likenessOf(grams, bare(line));
    if (likeness > best.likeness) best = { at, likeness };
  }
  if (best.at < 0) return ' Nothing in it is like it: read the file again.';
  const from = Math.max(0, best.at - anchor);
  const found = lines.slice(from, from + wanted.length);
  const isSameButSpace = found.map(bare).join('\n') === wantedBare.join('\n');
  const hint = isSameButSpace ? ' It differs only in white space:' : ' The nearest is:';
  return `${hint}\n${found
    .slice(0, 40)
    .map((line, index) => `${from + index + 1}\t${line}`)
    .join('\n')}`;
}

function gramsOf(text: string): Set<string> {
  const grams = new Set<string>();
  for (let at = 0; at + 2 <= Math.min(text.length, 500); at++) grams.add(text.slice(at, at + 2));
  return grams;
}

/** Dice's coefficient over pairs of characters: 1 for the same ones, 0 for none in common. */
function likenessOf(grams: ReadonlySet<string>, text: string): number {
  const others = gramsOf(text);
  if (grams.size + others.size === 0) return 0;
  let common = 0;
  for (const gram of others) if (grams.has(gram)) common += 1;
  return (2 * common) / (grams.size + others.size);
}
