const maxPagesUnasked = 10;
const maxPages = 20;
const maxChars = 100_000;

export interface PdfRequest {
  /** Of the file, for messages. */
  name: string;
  bytes: Uint8Array;
  /** Such as `1-5,8`; needed for more than ten. */
  pages?: string | undefined;
  /** The first pages will do, where there are more than are read at once. */
  isFromStart?: boolean;
}

/**
 * The text of a PDF's pages. It takes the memory of the bytes away, and can take minutes and gigabytes: see pdf-text.ts.
 *
 * @throws Error that says what to ask for instead.
 */
export async function readPdf({ name, bytes, pages, isFromStart = false }: PdfRequest): Promise<string> {
  const { getDocumentProxy } = await import('unpdf');
  const document = await getDocumentProxy(bytes, { verbosity: 0 }).catch((error: unknown) => {
    throw new Error(
      `${name} can't be read as a PDF: ${error instanceof Error ? error.message : String(error)}`,
    );
  });
  try {
    const total = document.numPages;
    if (pages === undefined && !isFromStart && total > maxPagesUnasked)
      throw new Error(`${name} has ${total} pages: say which, such as pages: "1-5" (at most ${maxPages})`);
    const wanted = pages === undefined ? range(1, Math.min(total, maxPages)) : readPages(pages, { total });
    const texts: string[] = [];
    for (const number of wanted) {
      const { items } = await (await document.getPage(number)).getTextContent();
      const text = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join('');
      texts.push(`--- page ${number} of ${total} ---\n${text.trim() || '(no text: it may be a picture)'}`);
    }
    const all = texts.join('\n\n');
    return all.length <= maxChars
      ? all
      : `${all.slice(0, maxChars)}\n[Cut: ${all.length - maxChars} more characters. Ask for fewer pages.]`;
  } finally {
    await document.loadingTask.destroy();
  }
}

/** @throws Error that says what to write instead. */
export function readPages(
  pages: string,
  { total, most = maxPages }: { total?: number; most?: number },
): number[] {
  const numbers = pages.split(',').flatMap((part) => {
    const [, from, to = from] = /^\s*(\d+)(?:\s*-\s*(\d+))?\s*$/.exec(part) ?? [];
    if (
      from === undefined ||
      Number(from) < 1 ||
      Number(to) > (total ?? Infinity) ||
      Number(from) > Number(to)
    )
      throw new Error(
        `pages "${pages}" must be numbers and ranges from 1${total === undefined ? '' : ` to ${total}`}, such as 1-5,8`,
      );
    return range(Number(from), Math.min(Number(to), Number(from) + most));
  });
  const wanted = [...new Set(numbers)];
  if (wanted.length > most)
    throw new Error(`at most ${most} pages are read at once, not ${wanted.length} or more`);
  return wanted;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
