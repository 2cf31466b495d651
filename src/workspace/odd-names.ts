import { isUtf8 } from 'node:buffer';
import { WorkspaceError } from './workspace.ts';

/** A file's name as text. Bytes that are no UTF-8 are shown as `\xE9`: a name that is left out hides its file. */
export function shownName(bytes: Buffer): { name: string; isText: boolean } {
  if (isUtf8(bytes)) return { name: bytes.toString(), isText: true };
  const name = Array.from(bytes, (byte) =>
    byte < 0x80 ? String.fromCharCode(byte) : `\\x${byte.toString(16).toUpperCase()}`,
  ).join('');
  return { name, isText: false };
}

const shownByte = /\\x[89A-F][0-9A-F]/i;

export function notThere(path: string): WorkspaceError {
  const hint = shownByte.test(path)
    ? `: where \\xE9 stands for a byte, the name is no UTF-8, and only bash finds it (mv $'caf\\xE9.txt' café.txt)`
    : '';
  return new WorkspaceError('not_found', `${path} does not exist${hint}`);
}
