/** The known names that `name` was probably meant to be, nearest first, at most three. */
export function nearestNames(name: string, known: Iterable<string>): string[] {
  const wanted = bare(name);
  const tolerance = Math.max(1, Math.floor(wanted.length / 3));
  const near = [...known]
    .map((candidate) => ({ candidate, distance: distanceOf(wanted, bare(candidate)) }))
    .filter(({ distance }) => distance <= tolerance)
    .toSorted((a, b) => a.distance - b.distance);
  const isSame = near[0]?.distance === 0;
  return near
    .filter(({ distance }) => !isSame || distance === 0)
    .slice(0, 3)
    .map(({ candidate }) => candidate);
}

/** ` Did you mean a or b?`, or nothing when no known name is near. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const nearest = nearestNames(name, known);
  return nearest.length === 0 ? '' : ` Did you mean ${nearest.join(' or ')}?`;
}

/** Case and separators are what is most often confused, so they count for nothing. Cut, because a model can write a name of any length. */
function bare(name: string): string {
  return name
    .slice(0, 100)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '');
}

/** A name that was cut short, or given an ending, is near however long the rest is. */
function distanceOf(a: string, b: string): number {
  const isPrefix = Math.min(a.length, b.length) >= 3 && (a.startsWith(b) || b.startsWith(a));
  return isPrefix && a !== b ? 1 : editDistance(a, b);
}

/** Levenshtein, one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, charA] of Array.from(a).entries()) {
    const next = [i + 1];
    for (const [j, charB] of Array.from(b).entries()) {
      const substituted = (row[j] ?? 0) + (charA === charB ? 0 : 1);
      next.push(Math.min(substituted, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
