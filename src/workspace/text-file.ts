import { isUtf8 } from 'node:buffer';

const bom = '\uFEFF';

/** A text as it is edited: without byte order mark, and with plain line ends where the file has only others. */
export interface TextFile {
  text: string;
  hasBom: boolean;
  /** Every line of it ends with CR LF. */
  isCrlf: boolean;
}

/** @throws Error saying why these bytes are no text that can be shown. */
export function decodeText(path: string, bytes: Uint8Array): TextFile {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (isUtf16) throw new Error(`${path} is text in UTF-16: convert it first (iconv -f UTF-16 -t UTF-8)`);
  if (buffer.includes(0))
    throw new Error(
      `${path} is a binary file of ${bytes.length} bytes: look at it with bash (file, xxd | head, strings)`,
    );
  if (!isUtf8(buffer))
    throw new Error(
      `${path} is not valid UTF-8, so it is in another encoding or damaged: convert it first (iconv -f LATIN1 -t UTF-8)`,
    );
  const raw = buffer.toString();
  const hasBom = raw.startsWith(bom);
  const text = hasBom ? raw.slice(1) : raw;
  const isCrlf = text.includes('\r\n') && !/(?<!\r)\n/.test(text);
  return { text: isCrlf ? text.replaceAll('\r\n', '\n') : text, hasBom, isCrlf };
}

export function encodeText({ text, hasBom, isCrlf }: TextFile): Uint8Array {
  const lines = isCrlf ? text.replaceAll('\r\n', '\n').replaceAll('\n', '\r\n') : text;
  return new TextEncoder().encode(hasBom && !lines.startsWith(bom) ? bom + lines : lines);
}

/** Without an empty one after the last line end. */
export function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
