/** First bytes, as Latin-1. */
const signatures = [
  ['image/png', (head: string) => head.startsWith('\x89PNG\r\n\x1A\n')],
  ['image/jpeg', (head: string) => head.startsWith('\xFF\xD8\xFF')],
  ['image/gif', (head: string) => /^GIF8[79]a/.test(head)],
  ['image/webp', (head: string) => /^RIFF[^]{4}WEBP/.test(head)],
  ['application/pdf', (head: string) => /^(?:\xEF\xBB\xBF)?\s{0,64}%PDF-\d/.test(head)],
] as const;

type MediaType = (typeof signatures)[number][0];

/** What the first bytes of a file say that it is, whatever its name: what models take as pictures, and PDF. */
export function mediaTypeOf(bytes: Uint8Array): MediaType | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 100)).toString(
    'latin1',
  );
  return signatures.find(([, fits]) => fits(head))?.[0];
}
