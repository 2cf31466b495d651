import type { Command } from 'commander';
import { resolveSettings, type Flags, type Settings } from '../settings/settings.ts';
import { fail, ok, type Check } from './check.ts';
import { checkModels } from './check-models.ts';
import { checkStore } from './check-store.ts';
import { checkTemporal } from './check-temporal.ts';
import { defineCommand, flagsOf, type CommonOptions } from './define-command.ts';
import { exitCode } from './exit-codes.ts';
import { printJson, printLines, terminalStyle } from './output.ts';
import { describeError } from './report-error.ts';
import { printable, type Style } from './text.ts';

const leastNode = [22, 13] as const;

export function doctorCommand(): Command {
  return defineCommand(
    'doctor',
    'check Node, the config, Temporal, the store and the model endpoints, and say how to fix each',
    'durascope doctor\ndurascope doctor --json',
  )
    .addHelpText('after', '\nExit codes: 0 nothing fails (warnings may be there); 1 something does.\n')
    .action(doctor);
}

async function doctor(options: CommonOptions): Promise<void> {
  const checks = await examine(flagsOf(options));
  const isWell = checks.every(({ status }) => status !== 'fail');
  if (options.json) printJson({ ok: isWell, checks });
  else printLines(renderChecks(checks, terminalStyle()));
  if (!isWell) process.exitCode = exitCode.failed;
}

async function examine(flags: Flags): Promise<Check[]> {
  const node = checkNode(process.versions.node);
  const [config, settings] = await checkConfig(flags);
  if (!settings) return [node, config];
  const [temporal, store, models] = await Promise.all([
    checkTemporal(settings),
    checkStore(settings.store),
    checkModels(settings.config?.agents ?? [], settings.models),
  ]);
  return [node, config, ...temporal, store, ...models];
}

export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isNewEnough = major > leastNode[0] || (major === leastNode[0] && minor >= leastNode[1]);
  if (isNewEnough) return ok('node', version);
  return fail('node', `${version} is too old`, `install Node ${leastNode.join('.')} or newer`);
}

/** With a config that is not there or broken, the rest is examined by flags and environment alone. */
async function checkConfig(flags: Flags): Promise<[Check, Settings | undefined]> {
  try {
    const settings = await resolveSettings(flags, { needsConfig: true });
    const agents = settings.config?.agents.map(({ name }) => name).join(', ');
    return [ok('config', `${settings.config?.file}: agents ${agents}`), settings];
  } catch (error) {
    const { code, message } = describeError(error);
    const fix =
      code === 'config_not_found'
        ? 'create it, or name one with --config'
        : 'correct what it says, and try again';
    return [
      fail('config', message, fix),
      await resolveSettings(flags, { skipsConfig: true }).catch(() => undefined),
    ];
  }
}

/** Pure. */
export function renderChecks(checks: readonly Check[], { colors }: Style): string[] {
  const marks = { ok: colors.green('ok  '), warn: colors.yellow('warn'), fail: colors.red('fail') };
  return checks.flatMap(({ name, status, message, fix }) => [
    `${marks[status]} ${name}: ${printable(message)}`,
    ...(fix === undefined ? [] : [`     → ${fix}`]),
  ]);
}
