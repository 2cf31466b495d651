import { inThread, type ThreadLimits } from '../tools/in-thread.ts';

// Beside this file: a .ts one in the sources, a .js one in the package.
const thread = new URL(import.meta.url.replace(/convert-page(\.[jt]s)$/, 'markdown-thread$1'));

/**
 * `toMarkdown`, of a page that may be made to take minutes.
 *
 * @throws Error when the page is more than time or memory allow; the signal's reason when it aborts.
 */
export function convertPage(
  html: string,
  base: URL,
  limits: ThreadLimits,
): Promise<{ title: string; markdown: string }> {
  const tooMuch = `${base.href} is too large or too intricate to be read as a page`;
  return inThread(thread, { html, base: base.href }, { ...limits, tooMuch });
}
