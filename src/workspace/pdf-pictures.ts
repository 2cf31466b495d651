import { readPages } from '../tools/read-pdf.ts';
import { media } from '../tools/tool-parts.ts';
import type { ToolParts } from '../tools/tool.ts';
import type { Workspace } from './workspace.ts';

const maxPictures = 5;
const longestSide = 1_600;
const maxPictureBytes = 10 * 1024 * 1024;
const timeoutMs = 30_000;

interface PictureRequest {
  path: string;
  /** Such as `1-5,8`. Default: the first. */
  pages?: string | undefined;
  signal: AbortSignal;
}

/**
 * Pages of a PDF as pictures, by `pdftoppm` among the workspace's commands: what strangers wrote is drawn where commands run.
 *
 * @throws Error that says what to do instead.
 */
export async function pdfPictures(
  workspace: Workspace,
  { path, pages = '1', signal }: PictureRequest,
): Promise<ToolParts[]> {
  const numbers = readPages(pages, { most: maxPictures });
  const file = await workspace.realpath(path);
  const pictures: ToolParts[] = [];
  for (const number of numbers) {
    const data = await draw(workspace, { file, path, number, signal });
    pictures.push(media({ mediaType: 'image/png', data, name: `${path}, page ${number}` }));
  }
  return pictures;
}

async function draw(
  workspace: Workspace,
  { file, path, number, signal }: { file: string; path: string; number: number; signal: AbortSignal },
): Promise<Uint8Array> {
  const page = String(number);
  const size = String(longestSide);
  // By the shell, which tells a program that is not there from one that fails.
  const script =
    'command -v pdftoppm >/dev/null || exit 127; exec pdftoppm -png -scale-to "$1" -f "$2" -l "$2" "$3"';
  const argv = ['/bin/sh', '-c', script, 'sh', size, page, file] as const;
  const pieces: Buffer[] = [];
  let bytes = 0;
  let errors = '';
  const execution = workspace.exec({ argv }, { timeoutMs, signal });
  for (;;) {
    const step = await execution.next();
    if (!step.done) {
      if (step.value.from === 'stderr') errors = (errors + step.value.bytes.toString()).slice(0, 500);
      else pieces.push(step.value.bytes);
      bytes += step.value.bytes.byteLength;
      if (bytes <= maxPictureBytes) continue;
      await execution.return({ exitCode: null, signal: null, by: 'abort' });
      throw new Error(`page ${page} of ${path} makes a picture of more than ${maxPictureBytes} bytes`);
    }
    signal.throwIfAborted();
    const { exitCode, by } = step.value;
    if (exitCode === 0 && bytes > 0) return Buffer.concat(pieces);
    if (exitCode === 127)
      throw new Error(
        `pages of a PDF are drawn by pdftoppm, and commands of this workspace find none: install it there (Debian: apt-get install poppler-utils), or read the text`,
      );
    const why = by === 'timeout' ? `it took longer than ${timeoutMs / 1_000} s` : errors.trim();
    throw new Error(`page ${page} of ${path} could not be drawn: ${why || `exit code ${exitCode}`}`);
  }
}
