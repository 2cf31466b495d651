import { createHash } from 'node:crypto';

/** SHA-256 in hex, as `Workspace.hash` has it. */
export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
