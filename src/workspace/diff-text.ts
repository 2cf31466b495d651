import { createTwoFilesPatch } from 'diff';

const maxDiffChars = 12_000;

/** A unified diff to be read, cut where it is long. */
export function diffText(path: string, before: string, after: string): string {
  const patch = createTwoFilesPatch(`a/${path}`, `b/${path}`, before, after, undefined, undefined, {
    context: 3,
    // What takes longer is a file that was rewritten: that it was is all that the diff would say.
    timeout: 200,
  });
  if (patch === undefined) return '[The diff is left out: nearly all of the file changed.]';
  const text = patch.replace(/^=+\n/, '').trimEnd();
  if (text.length <= maxDiffChars) return text;
  const cut = text.slice(0, text.lastIndexOf('\n', maxDiffChars));
  return `${cut}\n[The diff is cut: ${text.length - cut.length} more characters.]`;
}
