import { InvalidArgumentError, type Command } from 'commander';
import { newApiKey } from '../server/auth/api-key.ts';
import { scopes, type Scope } from '../server/index.ts';
import { resolveSettings, type Flags } from '../settings/settings.ts';
import { openStore } from '../store/open-store.ts';
import type { ApiKeyRecord, ApiKeyStore } from '../store/store.ts';
import { CommandError } from './command-error.ts';
import { defineCommand, flagsOf, type CommonOptions } from './define-command.ts';
import { wholeNumber } from './option-parsers.ts';
import { notice, printJson, printLines } from './output.ts';
import { printable, table } from './text.ts';

interface CreateOptions extends CommonOptions {
  scopes: Scope[];
  roles: string[];
  expiresInDays?: number;
}

interface ListOptions extends CommonOptions {
  cursor?: string;
}

export function keysCommand(): Command {
  const create = defineCommand(
    'keys create',
    'make a key of the HTTP API for an owner, and show it this once',
    'durascope keys create ann --owner acme --scopes run,approve,read --expires-in-days 90',
  )
    .argument('<name>', 'who uses it: the audit names them by it')
    .option('--scopes <list>', `of ${scopes.join(', ')}`, scopeList, ['run', 'approve', 'read'])
    .option('--roles <list>', 'for approval policies', nameList, [])
    .option('--expires-in-days <n>', 'default: never', wholeNumber(1, 36_500))
    .action(createKey);
  const list = defineCommand('keys list', 'list the keys of an owner', 'durascope keys list --owner acme')
    .option('--cursor <cursor>', 'the next page, as the last one told')
    .action(listKeys);
  const revoke = defineCommand(
    'keys revoke',
    'make a key worthless, from the next request on',
    'durascope keys revoke 3f9a1c2b4d5e6f70 --owner acme',
  )
    .argument('<id>', 'as "durascope keys list" shows it')
    .action(revokeKey);
  const keys = defineCommand(
    'keys',
    'make, list and revoke keys of the HTTP API',
    'durascope keys create ann --owner acme --scopes approve,read\ndurascope keys list --owner acme',
  );
  for (const command of [create, list, revoke]) keys.addCommand(command);
  return keys;
}

async function createKey(name: string, options: CreateOptions): Promise<void> {
  const { scopes: granted, roles, expiresInDays } = options;
  await withKeys(flagsOf(options), async (keys, owner) => {
    const { id, key, hash } = newApiKey();
    const expiresAt =
      expiresInDays === undefined
        ? undefined
        : new Date(Date.now() + expiresInDays * 86_400_000).toISOString();
    const record = await keys.create({
      id,
      hash,
      owner,
      name,
      scopes: granted,
      roles,
      ...(expiresAt === undefined ? {} : { expiresAt }),
    });
    if (options.json) return printJson({ ...record, key });
    printLines([key]);
    notice(`key ${id} of ${owner} for ${name} (${granted.join(', ')}): it is shown this once, keep it safe`);
  });
}

async function listKeys(options: ListOptions): Promise<void> {
  const { cursor } = options;
  await withKeys(flagsOf(options), async (keys, owner) => {
    const page = await keys.list(owner, cursor === undefined ? {} : { cursor });
    if (options.json) return printJson(page);
    if (page.items.length === 0) return notice(`owner ${owner} has no keys`);
    const rows = page.items.map((key) => [
      key.id,
      printable(key.name),
      key.scopes.join(','),
      stateOf(key),
      key.createdAt,
      key.lastUsedAt ?? 'never',
    ]);
    printLines(table(['ID', 'NAME', 'SCOPES', 'STATE', 'MADE', 'LAST USED'], rows));
    if (page.nextCursor !== undefined) notice(`more: --cursor ${page.nextCursor}`);
  });
}

async function revokeKey(id: string, options: CommonOptions): Promise<void> {
  await withKeys(flagsOf(options), async (keys, owner) => {
    const record = await keys.revoke(owner, id);
    if (!record)
      throw new CommandError(
        'not_found',
        `Owner ${owner} has no key ${id}: "durascope keys list --owner ${owner}" shows those it has`,
      );
    if (options.json) return printJson(record);
    printLines([`revoked ${id}`]);
  });
}

async function withKeys(
  flags: Flags,
  use: (keys: ApiKeyStore, owner: string) => Promise<void>,
): Promise<void> {
  const { store: url, owner } = await resolveSettings(flags);
  const content = await openStore(url);
  try {
    await use(content.store.apiKeys, owner);
  } finally {
    await content.close();
  }
}

function stateOf({ revokedAt, expiresAt }: ApiKeyRecord): string {
  if (revokedAt !== undefined) return 'revoked';
  if (expiresAt === undefined) return 'valid';
  return Date.parse(expiresAt) <= Date.now() ? 'expired' : `until ${expiresAt.slice(0, 10)}`;
}

function scopeList(text: string): Scope[] {
  return nameList(text).map((name) => {
    const scope = scopes.find((known) => known === name);
    if (scope === undefined) throw new InvalidArgumentError(`${name} is none of ${scopes.join(', ')}.`);
    return scope;
  });
}

function nameList(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
