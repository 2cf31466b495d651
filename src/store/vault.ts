import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { closeSync, fchmodSync, mkdirSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Vault } from '../tools/worker-scope.ts';
import type { SecretStore } from './store.ts';

const algorithm = 'aes-256-gcm';
const ivLength = 12;
const tagLength = 16;

export interface VaultOptions {
  /** At least 32 characters that nobody can guess. Default: DURASCOPE_SECRET_KEY, else the key file. */
  key?: string;
  /** Holds the key, readable by its owner alone; made when it is needed and not there. DURASCOPE_SECRET_KEY_FILE comes before it. */
  keyFile?: string;
  /** Default: `process.env`. */
  env?: Record<string, string | undefined>;
}

/** No key, one that is too short, a file that others can read, or a key that does not fit what was written. */
export class VaultError extends Error {
  readonly code = 'Vault';
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'VaultError';
  }
}

/**
 * Owners' secrets in the store, encrypted with a key that is not in it (AES-256-GCM). What belongs to one owner and name can't be read under
 * another. The key is looked for when it is needed first.
 */
export function openVault(secrets: SecretStore, options: VaultOptions = {}): Vault {
  let key: Buffer | undefined;
  const theKey = (): Buffer => (key ??= derive(findKey(options)));
  return {
    async read(owner, name) {
      const sealed = await secrets.get(owner, name);
      return sealed === undefined ? undefined : open(theKey(), placeOf(owner, name), sealed);
    },
    async write(owner, name, value) {
      const sealed = value === undefined ? undefined : seal(theKey(), placeOf(owner, name), value);
      await secrets.set(owner, name, sealed);
    },
  };
}

function seal(key: Buffer, place: Buffer, value: string): string {
  const iv = randomBytes(ivLength);
  const cipher = createCipheriv(algorithm, key, iv).setAAD(place);
  const sealed = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64');
}

function open(key: Buffer, place: Buffer, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64');
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivLength))
    .setAAD(place)
    .setAuthTag(bytes.subarray(ivLength, ivLength + tagLength));
  try {
    return decipher.update(bytes.subarray(ivLength + tagLength), undefined, 'utf8') + decipher.final('utf8');
  } catch (cause) {
    throw new VaultError(
      'What is kept in the vault was written with another key: give every process the same DURASCOPE_SECRET_KEY, or sign in again',
      { cause },
    );
  }
}

function placeOf(owner: string, name: string): Buffer {
  return Buffer.from(JSON.stringify([owner, name]));
}

function derive(key: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, 'durascope', 'vault', 32));
}

function findKey({ key, keyFile, env = process.env }: VaultOptions): string {
  const given = key ?? (env['DURASCOPE_SECRET_KEY'] || undefined);
  const file = (env['DURASCOPE_SECRET_KEY_FILE'] || undefined) ?? keyFile;
  if (given === undefined && file === undefined)
    throw new VaultError(
      'Secrets of owners are kept encrypted, and there is no key: set DURASCOPE_SECRET_KEY to 32 random characters or more (openssl rand -hex 32), the same for every worker',
    );
  const found = given ?? readKeyFile(file ?? '');
  if (found.length < 32)
    throw new VaultError(
      'DURASCOPE_SECRET_KEY is too short to be safe: write 32 random characters or more (openssl rand -hex 32)',
    );
  return found;
}

function readKeyFile(file: string): string {
  try {
    const { mode } = statSync(file);
    if (process.platform !== 'win32' && (mode & 0o077) !== 0)
      throw new VaultError(
        `${file} holds the key of owners' secrets and can be read by others: chmod 600 it`,
      );
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (!isMissing(error)) throw error;
    return makeKeyFile(file);
  }
}

/** Two processes may be first at once: the file of one of them counts for both. */
function makeKeyFile(file: string): string {
  const key = randomBytes(32).toString('hex');
  mkdirSync(dirname(file), { recursive: true });
  try {
    const handle = openSync(file, 'wx', 0o600);
    fchmodSync(handle, 0o600);
    writeSync(handle, `${key}\n`);
    closeSync(handle);
    return key;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    return readFileSync(file, 'utf8').trim();
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
