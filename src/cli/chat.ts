import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { actorOf, withActorOptions, type ActorOptions } from './actor.ts';
import { ChatLoop } from './chat-loop.ts';
import { defineCommand, flagsOf, type CommonOptions } from './define-command.ts';
import { notice } from './output.ts';
import { openStack } from './stack.ts';

interface ChatOptions extends CommonOptions, ActorOptions {
  session?: string;
}

export function chatCommand(): Command {
  const command = defineCommand(
    'chat',
    'talk with an agent, line by line, in one session',
    'durascope chat support --session case-42',
  );
  return withActorOptions(command, 'who asks and answers')
    .argument('<agent>', 'its name in the config')
    .option('--session <id>', 'the session to go on with, or to make; default: a new one')
    .addHelpText(
      'after',
      '\nWhat you type while a turn runs steers it. /interrupt stops the turn, /status tells how things are, /quit ends.\n' +
        'While a call waits for approval: /queue TEXT is for after the turn, /deny TEXT denies it and goes on, /steer TEXT is for this turn.\n' +
        'Ctrl-C interrupts the turn, and ends the chat when none runs. --json prints one event a line.\n',
    )
    .action(chat);
}

async function chat(agent: string, options: ChatOptions): Promise<void> {
  const { client, settings, close } = await openStack(flagsOf(options), agent);
  try {
    const id = options.session ?? `chat-${randomUUID().slice(0, 8)}`;
    notice(`session ${id} of agent ${agent}; /quit ends, /status tells how things are`);
    const session = client.session({ owner: settings.owner, id, agent });
    await new ChatLoop(session, { actor: actorOf(options), isJson: options.json === true }).run();
  } finally {
    await close();
  }
}
