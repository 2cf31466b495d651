/** More HTML than this would hold up the worker for long. */
export const maxHtmlChars = 2_000_000;

const removed =
  'title, script, style, noscript, template, svg, canvas, iframe, object, embed, link, meta, dialog, [hidden], [aria-hidden="true"]';
const aside = 'nav, header, footer, aside, form';

/** The readable part of an HTML page. Addresses in it become absolute. */
export async function toMarkdown(html: string, base: URL): Promise<{ title: string; markdown: string }> {
  const [{ parseHTML }, { default: TurndownService }] = await Promise.all([
    import('linkedom'),
    import('turndown'),
  ]);
  const text = html.slice(0, maxHtmlChars);
  // The parser makes no body where the page leaves its tag out, as it may.
  const { document } = parseHTML(/<body[\s>]/i.test(text) ? text : `<html><body>${text}</body></html>`);
  const title = document.querySelector('title')?.textContent?.trim() ?? '';
  for (const element of document.querySelectorAll(removed)) element.remove();
  const root =
    document.querySelector('main, [role="main"], article') ?? document.body ?? document.documentElement;
  if (!root) return { title, markdown: '' };
  if (root === document.body) for (const element of root.querySelectorAll(aside)) element.remove();
  for (const element of root.querySelectorAll('a[href], img[src]')) makeAbsolute(element, base);

  const service = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    emDelimiter: '_',
  });
  service.addRule('table', {
    filter: 'table',
    replacement: (_, node) => `\n\n${tableText(node as Element)}\n\n`,
  });
  try {
    return { title, markdown: service.turndown(root as never).trim() };
  } catch (error) {
    // Elements nested by the thousand are more than the converter's recursion takes.
    if (!(error instanceof RangeError)) throw error;
    return {
      title,
      markdown: html
        .replaceAll(/<[^>]*>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    };
  }
}

/** What this file needs of the DOM, whose types Node does not have. */
interface Element {
  textContent: string | null;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  querySelectorAll(selector: string): Iterable<Element>;
}

function makeAbsolute(element: Element, base: URL): void {
  for (const name of ['href', 'src']) {
    const value = element.getAttribute(name);
    if (value === null) continue;
    if (value.startsWith('data:')) element.setAttribute(name, 'data:');
    else if (URL.canParse(value, base.href)) element.setAttribute(name, new URL(value, base).href);
  }
}

function tableText(table: Element): string {
  const rows = [...table.querySelectorAll('tr')].map((row) =>
    [...row.querySelectorAll('th, td')].map((cell) =>
      (cell.textContent ?? '').replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').trim(),
    ),
  );
  const [head, ...body] = rows.filter((cells) => cells.length > 0);
  if (!head) return '';
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...body.map(line)].join('\n');
}
