import { readFile } from 'node:fs/promises';

export interface CodeBlock {
  document: string;
  /** From its first line where that names one (`// support.ts`), so that other blocks of the document can import it. */
  file: string;
  code: string;
}

/** The blocks of that language in a Markdown document. */
export async function codeBlocks(document: string, language: string): Promise<CodeBlock[]> {
  const markdown = await readFile(document, 'utf8');
  const blocks = markdown.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'));
  return [...blocks].map(([, code = ''], index) => ({
    document,
    file: /^\/\/ ([\w./-]+\.ts)\n/.exec(code)?.[1] ?? `block-${index + 1}.ts`,
    code,
  }));
}
