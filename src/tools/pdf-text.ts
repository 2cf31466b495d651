import { inThread, type ThreadLimits } from './in-thread.ts';
import type { PdfRequest } from './read-pdf.ts';

// Beside this file: a .ts one in the sources, a .js one in the package.
const thread = new URL(import.meta.url.replace(/pdf-text(\.[jt]s)$/, 'pdf-thread$1'));

/**
 * The text of a PDF's pages.
 *
 * @throws Error that says what to ask for instead; when the PDF is more than time or memory allow; the signal's reason when it aborts.
 */
export function pdfText(request: PdfRequest, limits: ThreadLimits): Promise<string> {
  const tooMuch = `${request.name} is too large or too intricate to be read as a PDF`;
  return inThread(thread, request, { ...limits, tooMuch });
}
