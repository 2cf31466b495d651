import { Command } from 'commander';
import type { Flags } from '../settings/settings.ts';
import type { CommandName } from './commands.ts';

/** Options that each command has. */
export interface CommonOptions extends Flags {
  json?: boolean;
}

/** A command with what all have: `--json`, the settings, and an example at the end of its help. */
export function defineCommand(
  name: CommandName | `${CommandName} ${string}`,
  summary: string,
  example: string,
): Command {
  return new Command(name.slice(name.indexOf(' ') + 1))
    .description(summary)
    .option('--json', 'print JSON for programs instead of text for people')
    .optionsGroup('Settings (before environment and config):')
    .option('--config <file>', 'the config; default: durascope.config.ts of this folder')
    .option('--address <host:port>', 'of Temporal; environment: TEMPORAL_ADDRESS')
    .option('--namespace <name>', 'of Temporal; environment: TEMPORAL_NAMESPACE')
    .option('--task-queue <name>', 'that the workers of these agents poll')
    .option('--store <url>', 'sqlite:PATH or postgres://…; environment: DURASCOPE_STORE')
    .option('--owner <id>', 'whose sessions; environment: DURASCOPE_OWNER; default: local')
    .optionsGroup('Options:')
    .addHelpText('after', `\nExample:\n${indent(example)}\n`);
}

/** The settings among a command's options. */
export function flagsOf(options: CommonOptions): Flags {
  const { config, address, namespace, taskQueue, store, owner } = options;
  const flags = { config, address, namespace, taskQueue, store, owner };
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
}

function indent(lines: string): string {
  return lines
    .split('\n')
    .map((line) => `  $ ${line}`)
    .join('\n');
}
