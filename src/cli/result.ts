import { text as readAll } from 'node:stream/consumers';
import type { Command } from 'commander';
import { actorOf, withActorOptions, type ActorOptions } from './actor.ts';
import { defineCommand, flagsOf, type CommonOptions } from './define-command.ts';
import { withClient } from './open-client.ts';
import { printJson, printLines } from './output.ts';
import { waitingCall } from './waiting-call.ts';

interface ResultOptions extends CommonOptions, ActorOptions {
  content: string;
  error?: true;
}

export function resultCommand(): Command {
  const command = defineCommand(
    'result',
    'give the result of a call that a system outside executes',
    'durascope result call_1 --content "shipped as DE-77"\ndurascope result call_1 --error --content "out of stock"',
  );
  return withActorOptions(command, 'who says so, for the record')
    .argument('<call>', 'its id, as "durascope gates" lists it')
    .requiredOption('--content <text>', 'what the model reads; - reads it from stdin')
    .option('--error', 'it failed')
    .action(result);
}

async function result(callId: string, options: ResultOptions): Promise<void> {
  const content = options.content === '-' ? await readAll(process.stdin) : options.content;
  const state = options.error ? 'error' : 'success';
  await withClient(flagsOf(options), async (client, { owner }) => {
    const { session } = await waitingCall(client, { owner, callId }, 'submitted');
    await session.submitExternalResults([{ callId, state, content }], { actor: actorOf(options) });
    if (options.json) printJson({ callId, sessionId: session.id, state });
    else printLines([`answered ${callId}: session ${session.id} goes on`]);
  });
}
