import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A key in its three parts: what it is, which, and the secret. */
const form = /^dsk_([0-9a-f]{16})_([A-Za-z0-9_-]{43})$/;

export interface NewKey {
  id: string;
  /** Shown once: only its hash is kept. */
  key: string;
  hash: string;
}

export function newApiKey(): NewKey {
  const id = randomBytes(8).toString('hex');
  const key = `dsk_${id}_${randomBytes(32).toString('base64url')}`;
  return { id, key, hash: hashOf(key) };
}

/** The id in a key; undefined for what is none. */
export function keyIdOf(key: string): string | undefined {
  return form.exec(key)?.[1];
}

/**
 * The secret is 256 random bits, which nobody can try out, however fast the hash: a slow one would protect nothing here, and let anybody
 * keep the server busy.
 */
export function hashOf(key: string): string {
  return createHash('sha256').update(`durascope api key\n${key}`).digest('hex');
}

export function isSameHash(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a, 'hex'), Buffer.from(b, 'hex')];
  return left.length === right.length && timingSafeEqual(left, right);
}
