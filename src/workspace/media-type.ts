const signatures = [
  ['image/png', /^\x89PNG\r\n\x1A\n/],
  ['image/jpeg', /^\xFF\xD8\xFF/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[^]{4}WEBP/],
  ['application/pdf', /^(?:\xEF\xBB\xBF)?\s{0,64}%PDF-\d/],
] as const;

type MediaType = (typeof signatures)[number][0];

/** What the first bytes of a file say that it is, whatever its name: what models take as pictures, and PDF. */
export function mediaTypeOf(bytes: Uint8Array): MediaType | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 1_024)).toString(
    'latin1',
  );
  return signatures.find(([, signature]) => signature.test(head))?.[0];
}
