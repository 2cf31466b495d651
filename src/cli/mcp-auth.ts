import { spawn } from 'node:child_process';
import type { Command } from 'commander';
import { openStore } from '../store/open-store.ts';
import { openVault } from '../store/vault.ts';
import { describeError } from '../tools/tool-errors.ts';
import { CommandError } from './command-error.ts';
import { defineCommand, flagsOf, type CommonOptions } from './define-command.ts';
import { onInterrupt } from './on-interrupt.ts';
import { keyFileOf, knownServer } from './mcp-servers.ts';
import { findSettings } from './mcp-settings.ts';
import { wholeNumber } from './option-parsers.ts';
import { notice, printJson, printLines } from './output.ts';

interface AuthOptions extends CommonOptions {
  callbackPort?: number;
  browser: boolean;
  wait: number;
}

export function mcpAuthCommand(): Command {
  return defineCommand(
    'mcp auth',
    "sign in at an MCP server in the browser, and keep the owner's tokens in the store, encrypted",
    'durascope mcp auth crm --owner acme',
  )
    .argument('<name>', 'as "durascope mcp list" has it')
    .option(
      '--callback-port <port>',
      'that the browser comes back to; default: any free one',
      wholeNumber(0, 65_535),
    )
    .option('--wait <seconds>', 'for the person', wholeNumber(1, 3_600), 300)
    .option('--no-browser', 'print the address, and open nothing')
    .action(authorize);
}

async function authorize(name: string, options: AuthOptions): Promise<void> {
  const settings = await findSettings(flagsOf(options));
  const server = knownServer(settings, name);
  const content = await openStore(settings.store);
  const stop = new AbortController();
  const stopListening = onInterrupt(() => stop.abort(new Error('it was interrupted')));
  const { signIn } = await import('../mcp/sign-in.ts');
  try {
    await signIn({
      server,
      owner: settings.owner,
      vault: openVault(content.store.secrets, { keyFile: keyFileOf(settings) }),
      ...(options.callbackPort === undefined ? {} : { port: options.callbackPort }),
      signal: AbortSignal.any([stop.signal, AbortSignal.timeout(options.wait * 1000)]),
      open(url) {
        notice(`Sign in at:\n${url.href}`);
        if (options.browser) openBrowser(url);
      },
    });
  } catch (error) {
    throw new CommandError('not_signed_in', `Nobody is signed in at ${name}: ${describeError(error)}`, {
      cause: error,
    });
  } finally {
    stopListening();
    await content.close();
  }
  if (options.json) printJson({ name, owner: settings.owner });
  else printLines([`owner ${settings.owner} is signed in at ${name}`]);
}

/** Where there is no browser, the printed address does. */
function openBrowser(url: URL): void {
  const opener =
    process.platform === 'darwin' ? 'open' : process.platform === 'win32' ? 'explorer' : 'xdg-open';
  const child = spawn(opener, [url.href], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}
