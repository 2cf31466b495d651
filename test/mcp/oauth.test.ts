import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defineMcpServer } from '../../src/mcp/define-mcp-server.ts';
import type { McpServer } from '../../src/mcp/server.ts';
import { signIn } from '../../src/mcp/sign-in.ts';
import { openStore, type OpenStore } from '../../src/store/open-store.ts';
import { openVault } from '../../src/store/vault.ts';
import { testScope } from '../support/worker-scope.ts';
import { service, startProtected, type Protected } from './support/authorization-server.ts';
import { benchOf } from './support/load.ts';

let folder: string;
let content: OpenStore;
let site: Protected;
let worker: ReturnType<typeof testScope>;
let keyFile: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durascope-oauth-'));
  keyFile = join(folder, 'state', 'secret.key');
  content = await openStore(`sqlite:${join(folder, 'store.db')}`);
  site = await startProtected();
  worker = testScope(vault());
});
afterEach(async () => {
  await worker.close();
  await site.close();
  await content.close();
  await rm(folder, { recursive: true, force: true });
});

const vault = () => openVault(content.store.secrets, { keyFile, env: {} });
const person = (): McpServer =>
  defineMcpServer({ name: 'crm', url: site.url, oauth: { grant: 'authorization_code' } });
const signedIn = (server: McpServer, owner = 'acme') =>
  signIn({
    server,
    owner,
    vault: vault(),
    signal: AbortSignal.timeout(20_000),
    // A browser whose person agrees at once.
    open: async (url) => {
      await fetch(url);
    },
  });

describe('an owner who has signed in', () => {
  it('has the tools; one who has not is told how', async () => {
    const server = person();
    expect((await benchOf(worker, server).load()).notice).toMatch(
      /owner acme has to sign in at crm: run "durascope mcp auth crm --owner acme"/,
    );
    await signedIn(server);
    const anew = testScope(vault());
    expect(await benchOf(anew, server).text('whoami')).toContain('you are the bearer of');
    expect((await benchOf(anew, server, { owner: 'other' }).load()).notice).toMatch(
      /owner other has to sign in/,
    );
    await anew.close();
  });

  it('has the tokens refreshed, in the middle of its calls and on another worker', async () => {
    const server = person();
    await signedIn(server);
    const bench = benchOf(worker, server);
    await bench.text('whoami');
    site.expire();
    expect(await bench.text('whoami')).toContain('you are the bearer of');
    site.expire();
    const other = testScope(vault());
    expect(await benchOf(other, server).text('whoami')).toContain('you are the bearer of');
    expect(site.grants).toEqual(['authorization_code', 'refresh_token', 'refresh_token']);
    await other.close();
  });

  it('is told to sign in again when the authorization was taken back', async () => {
    const server = person();
    await signedIn(server);
    const bench = benchOf(worker, server);
    await bench.text('whoami');
    site.revoke();
    expect(await bench.text('whoami')).toMatch(/has to sign in at crm/);
  });

  it('never sees the tokens: not in results, not in the store', async () => {
    const server = person();
    await signedIn(server);
    const shown = await benchOf(worker, server).text('whoami');
    const files = readdirSync(folder).filter((file) => file.startsWith('store.db'));
    const store = files.map((file) => readFileSync(join(folder, file), 'latin1')).join('');
    expect(site.tokens.length).toBe(2);
    for (const token of site.tokens) {
      expect(shown).not.toContain(token);
      expect(store).not.toContain(token);
    }
  });

  it('is not signed in by somebody else’s page', async () => {
    const attempt = signIn({
      server: person(),
      owner: 'acme',
      vault: vault(),
      signal: AbortSignal.timeout(20_000),
      open: async (url) => {
        const back = new URL(url.searchParams.get('redirect_uri') ?? '');
        const forged = await fetch(`${back.href}?code=stolen&state=guessed`);
        expect(forged.status).toBe(400);
        await fetch(`${back.href}?error=access_denied&state=${url.searchParams.get('state')}`);
      },
    });
    await expect(attempt).rejects.toThrow(/sign-in was refused: access_denied/);
  });
});

describe('a service account', () => {
  it('gets its tokens by itself', async () => {
    const server = defineMcpServer({
      name: 'crm',
      url: site.url,
      oauth: { grant: 'client_credentials', ...service, issuer: new URL(site.url).origin },
    });
    const shown = await benchOf(worker, server).text('whoami');
    expect(shown).toContain('you are the bearer of');
    for (const token of site.tokens) expect(shown).not.toContain(token);
    expect(site.grants).toEqual(['client_credentials']);
  });

  it('that is refused costs the tools, and its secret is not told', async () => {
    const { tools, notice } = await benchOf(worker, {
      name: 'crm',
      url: site.url,
      oauth: {
        grant: 'client_credentials',
        clientId: 'service',
        clientSecret: 'wr0ng-s3cret',
        issuer: new URL(site.url).origin,
      },
    }).load();
    expect(tools).toEqual([]);
    expect(notice).toMatch(/wants other credentials/);
    expect(JSON.stringify(notice)).not.toContain('wr0ng-s3cret');
  });
});

describe('the vault', () => {
  it('makes a key file that only its owner reads, and refuses one that others can read', async () => {
    await vault().write('acme', 'mcp/crm', 'hidden');
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    expect(await vault().read('acme', 'mcp/crm')).toBe('hidden');
    chmodSync(keyFile, 0o644);
    await expect(vault().read('acme', 'mcp/crm')).rejects.toThrow(/can be read by others: chmod 600/);
  });

  it('keeps each owner’s secrets apart, whoever copies rows', async () => {
    await vault().write('acme', 'mcp/crm', 'hidden');
    const sealed = await content.store.secrets.get('acme', 'mcp/crm');
    expect(sealed).not.toContain('hidden');
    await content.store.secrets.set('other', 'mcp/crm', sealed);
    await expect(vault().read('other', 'mcp/crm')).rejects.toThrow(/written with another key/);
  });

  it('says what to do without a key, with a short one, or with another one', async () => {
    const secrets = content.store.secrets;
    await expect(openVault(secrets, { env: {} }).write('a', 'b', 'c')).rejects.toThrow(
      /set DURASCOPE_SECRET_KEY/,
    );
    await expect(openVault(secrets, { key: 'short' }).write('a', 'b', 'c')).rejects.toThrow(/too short/);
    await openVault(secrets, { key: 'k'.repeat(32) }).write('a', 'b', 'c');
    await expect(openVault(secrets, { key: 'x'.repeat(32) }).read('a', 'b')).rejects.toThrow(/another key/);
    await openVault(secrets, { key: 'x'.repeat(32) }).write('a', 'b', undefined);
    expect(await openVault(secrets, { key: 'x'.repeat(32) }).read('a', 'b')).toBeUndefined();
  });
});
