const pdf = /^(?:\xEF\xBB\xBF)?\s{0,64}%PDF-\d/;

/** In pixels. What says more is broken, or no picture. */
const maxSide = 65_535;

/**
 * What the first bytes of a file say that it is, whatever its name: what models take as pictures, and PDF. A signature alone makes no
 * picture: an endpoint would refuse the conversation for it, again at each later step.
 */
export function mediaTypeOf(content: Uint8Array): MediaType | undefined {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  if (pdf.test(bytes.toString('latin1', 0, 100))) return 'application/pdf';
  for (const [mediaType, sizeOf] of pictures) {
    const size = sizeOf(bytes);
    if (size?.every((side) => side >= 1 && side <= maxSide)) return mediaType;
  }
  return undefined;
}

type MediaType = 'application/pdf' | (typeof pictures)[number][0];

/** Width and height; undefined where the header is another or is cut off. */
type SizeOf = (bytes: Buffer) => [number, number] | undefined;

const pictures = [
  ['image/png', pngSize],
  ['image/jpeg', jpegSize],
  ['image/gif', gifSize],
  ['image/webp', webpSize],
] as const satisfies readonly (readonly [string, SizeOf])[];

function pngSize(bytes: Buffer): ReturnType<SizeOf> {
  if (!isAt(bytes, 0, '\x89PNG\r\n\x1A\n\0\0\0\rIHDR') || bytes.length < 33) return undefined;
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}

/** Segments follow each other up to the one that begins a frame (SOF), which has the size. */
function jpegSize(bytes: Buffer): ReturnType<SizeOf> {
  if (!isAt(bytes, 0, '\xFF\xD8\xFF')) return undefined;
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff;) {
    const marker = bytes.readUInt8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)];
    // A marker may be filled up with 0xFF before it.
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

/** Behind the screen and its colors comes an image, an extension, or the end. */
function gifSize(bytes: Buffer): ReturnType<SizeOf> {
  if ((!isAt(bytes, 0, 'GIF87a') && !isAt(bytes, 0, 'GIF89a')) || bytes.length < 14) return undefined;
  const flags = bytes.readUInt8(10);
  const colorBytes = flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
  if (![0x21, 0x2c].includes(bytes[13 + colorBytes] ?? 0)) return undefined;
  return [bytes.readUInt16LE(6), bytes.readUInt16LE(8)];
}

function webpSize(bytes: Buffer): ReturnType<SizeOf> {
  if (!isAt(bytes, 0, 'RIFF') || !isAt(bytes, 8, 'WEBP') || bytes.length < 30) return undefined;
  if (isAt(bytes, 12, 'VP8X')) return [bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1];
  if (isAt(bytes, 12, 'VP8L') && bytes[20] === 0x2f) {
    const packed = bytes.readUInt32LE(21);
    return [(packed & 0x3fff) + 1, ((packed >>> 14) & 0x3fff) + 1];
  }
  if (isAt(bytes, 12, 'VP8 ') && isAt(bytes, 23, '\x9D\x01*'))
    return [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff];
  return undefined;
}

function isAt(bytes: Buffer, at: number, text: string): boolean {
  return bytes.toString('latin1', at, at + text.length) === text;
}
