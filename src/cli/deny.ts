import type { Command } from 'commander';
import { actorOf, withActorOptions, type ActorOptions } from './actor.ts';
import { defineCommand, flagsOf, type CommonOptions } from './define-command.ts';
import { withClient } from './open-client.ts';
import { questionOption } from './question-option.ts';
import { printJson, printLines } from './output.ts';
import { waitingCall } from './waiting-call.ts';

interface DenyOptions extends CommonOptions, ActorOptions {
  reason: string;
  question?: string;
}

export function denyCommand(): Command {
  const command = defineCommand(
    'deny',
    'refuse a call that waits for approval; the model reads why',
    'durascope deny call_1 --reason "over the limit of 50 EUR"',
  );
  return withActorOptions(command, 'who answers, for the record')
    .argument('<call>', 'its id, as "durascope gates" lists it')
    .requiredOption('--reason <text>', 'what the model is told')
    .addOption(questionOption())
    .action(deny);
}

async function deny(callId: string, options: DenyOptions): Promise<void> {
  const { reason, question } = options;
  const named = question === undefined ? {} : { questionId: question };
  await withClient(flagsOf(options), async (client, { owner }) => {
    const { session } = await waitingCall(client, { owner, callId }, 'asking');
    await session.confirm([{ callId, decision: 'deny', reason, ...named }], { actor: actorOf(options) });
    if (options.json) printJson({ callId, sessionId: session.id, decision: 'deny', reason });
    else printLines([`denied ${callId}: session ${session.id} goes on`]);
  });
}
