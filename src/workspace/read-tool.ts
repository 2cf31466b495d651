import { extname } from 'node:path';
import { z } from 'zod';
import { headOf } from '../core/head-of.ts';
import { defineTool } from '../tools/define-tool.ts';
import { pdfText } from '../tools/pdf-text.ts';
import { media } from '../tools/tool-parts.ts';
import type { Tool, ToolParts } from '../tools/tool.ts';
import { hashOf } from './content-hash.ts';
import { mediaTypeOf } from './media-type.ts';
import { pathPermissions } from './path-permissions.ts';
import { pdfPictures } from './pdf-pictures.ts';
import { relativePath } from './relative-path.ts';
import { decodeText, linesOf } from './text-file.ts';
import type { ToolSetting } from './tool-setting.ts';
import { rememberSeen } from './workspace-state.ts';

const maxFileBytes = 20 * 1024 * 1024;
const maxMediaBytes = 10 * 1024 * 1024;
const defaultLines = 2_000;
const maxLineChars = 2_000;
const maxChars = 60_000;

const input = z.object({
  path: z.string().min(1).describe('Relative to the workspace, or absolute'),
  offset: z.number().int().min(1).optional().describe('The first line to read. Default 1'),
  limit: z.number().int().min(1).optional().describe(`How many lines. Default ${defaultLines}`),
  pages: z.string().optional().describe('Of a PDF: pages such as 1-5,8'),
  as: z
    .enum(['text', 'pictures'])
    .optional()
    .describe('Of a PDF: its text (default), or pictures of its pages where text says too little'),
});

export function readTool({ workspace, paths }: ToolSetting): Tool {
  return defineTool({
    name: 'read',
    description:
      'Reads a file of the workspace: text with line numbers, an image as an image, a PDF as the text of its pages or as pictures of them. Read long files in parts, with offset and limit.',
    input,
    readOnly: true,
    ...pathPermissions<z.infer<typeof input>>('read', workspace, 'read', paths),
    async execute({ path, offset = 1, limit = defaultLines, pages, as }, { slots, signal }) {
      const bytes = await workspace.read(path, { maxBytes: maxFileBytes });
      const mediaType = mediaTypeOf(bytes);
      const isPdf = mediaType === 'application/pdf' || extname(path).toLowerCase() === '.pdf';
      if (isPdf && as === 'pictures') return pdfPictures(workspace, { path, pages, signal });
      if (mediaType && !isPdf) return picture(path, mediaType, bytes);
      if (isPdf) return pdfText({ name: path, bytes, pages }, { signal });
      const { text } = decodeText(path, bytes);
      const shown = numbered(path, text, offset, limit);
      await rememberSeen(slots, await relativePath(workspace, path), hashOf(bytes));
      return shown;
    },
  });
}

function picture(path: string, mediaType: string, data: Uint8Array): ToolParts {
  if (data.byteLength > maxMediaBytes)
    throw new Error(`${path} is a picture of ${data.byteLength} bytes: at most ${maxMediaBytes} are shown`);
  return media({ mediaType, data, name: path });
}

function numbered(path: string, text: string, offset: number, limit: number): string {
  if (text === '') return '(the file is empty)';
  const lines = linesOf(text);
  if (offset > lines.length) throw new Error(`${path} has ${lines.length} lines: there is no line ${offset}`);
  const shown: string[] = [];
  let chars = 0;
  for (const line of lines.slice(offset - 1, offset - 1 + limit)) {
    const cut =
      line.length > maxLineChars
        ? `${headOf(line, maxLineChars)}[cut: ${line.length - maxLineChars} more characters]`
        : line;
    chars += cut.length;
    if (chars > maxChars && shown.length > 0) break;
    shown.push(`${String(offset + shown.length).padStart(6)}\t${cut}`);
  }
  const last = offset + shown.length - 1;
  if (last < lines.length)
    shown.push(`[Lines ${offset} to ${last} of ${lines.length}. Go on with offset ${last + 1}.]`);
  return shown.join('\n');
}
