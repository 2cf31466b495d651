/** The first `length` characters (UTF-16 units) of a text, one less where that would part a pair of surrogates. */
export function headOf(text: string, length: number): string {
  const last = text.length > length ? text.charCodeAt(length - 1) : 0;
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}
