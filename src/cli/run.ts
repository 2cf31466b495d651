import { randomUUID } from 'node:crypto';
import { text as readAll } from 'node:stream/consumers';
import type { Command } from 'commander';
import type { Reply } from '../client/index.ts';
import type { IfBusy } from '../contracts/inputs.ts';
import { actorOf, withActorOptions, type ActorOptions } from './actor.ts';
import { defineCommand, flagsOf, type CommonOptions } from './define-command.ts';
import { exitCode } from './exit-codes.ts';
import { hasAnswer, howToAnswer } from './finish.ts';
import { oneOf } from './option-parsers.ts';
import { notice } from './output.ts';
import { openStack } from './stack.ts';
import { watchTurn } from './watch-turn.ts';

interface RunOptions extends CommonOptions, ActorOptions {
  session?: string;
  ifBusy?: IfBusy;
  idempotencyKey?: string;
  yes?: boolean;
}

export function runCommand(): Command {
  const command = defineCommand(
    'run',
    'run one turn of an agent, and show it live',
    'durascope run support "Refund order 1001"\ndurascope run support "And 1002" --session case-42 --json',
  );
  return withActorOptions(command, 'who asks and answers')
    .argument('<agent>', 'its name in the config')
    .argument('<input>', 'the message; - reads it from stdin')
    .option('--session <id>', 'the session to go on with, or to make; default: a new one')
    .option(
      '--if-busy <how>',
      'while another turn runs: queue (default), reject, steer, or deny what waits for approval and steer',
      oneOf('queue', 'reject', 'steer', 'deny'),
    )
    .option('--idempotency-key <key>', 'a repeat with the same key runs nothing twice')
    .option('--yes', 'approve every call that asks; questions are asked on')
    .addHelpText(
      'after',
      '\nCtrl-C interrupts the turn, or leaves it where it waits for others. --json prints one event a line.\n' +
        'Exit codes: 0 the turn ended with an answer; 1 it failed, was interrupted or waits at a gate;\n' +
        '2 wrong usage; 130 a second Ctrl-C.\n',
    )
    .action(run);
}

async function run(agent: string, input: string, options: RunOptions): Promise<void> {
  const { ifBusy, idempotencyKey } = options;
  const actor = actorOf(options);
  const message = input === '-' ? await readAll(process.stdin) : input;
  const { client, settings, isEmbedded, close } = await openStack(flagsOf(options), agent);
  try {
    const id = options.session ?? `run-${randomUUID().slice(0, 8)}`;
    const session = client.session({ owner: settings.owner, id, agent });
    const turn = await session.submit(message, {
      ...(ifBusy === undefined ? {} : { ifBusy }),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      actor,
    });
    if (turn.status === 'queued') notice(`session ${id} is busy: turn ${turn.turn} is queued behind it`);
    const reply = await watchTurn(session, turn, { ...options, actor, isShared: !isEmbedded });
    process.exitCode = hasAnswer(reply) ? exitCode.ok : exitCode.failed;
    for (const line of whatNext(reply, isEmbedded)) notice(line);
    if (options.session === undefined) notice(`session ${id}: go on with --session ${id}`);
  } finally {
    await close();
  }
}

function whatNext({ pending }: Reply, isEmbedded: boolean): string[] {
  if (pending.length === 0) return [];
  const needsStack = isEmbedded ? ['the turn is kept: start "durascope dev" here, and then'] : [];
  return [...needsStack, ...howToAnswer(pending)];
}
