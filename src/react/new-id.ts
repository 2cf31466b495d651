/** 32 random hexadecimal digits. Also where the page is not from a secure origin, which `crypto.randomUUID` wants. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
