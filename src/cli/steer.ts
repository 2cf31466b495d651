import type { Command } from 'commander';
import { actorOf, withActorOptions, type ActorOptions } from './actor.ts';
import { defineCommand, flagsOf, type CommonOptions } from './define-command.ts';
import { existingSession } from './existing-session.ts';
import { withClient } from './open-client.ts';
import { printJson, printLines } from './output.ts';

export function steerCommand(): Command {
  const command = defineCommand(
    'steer',
    'tell the running turn of a session something before its next model call',
    'durascope steer case-42 "use euros"',
  );
  return withActorOptions(command, 'who writes')
    .argument('<session>', 'its id, as "durascope sessions" lists it')
    .argument('<text>', 'the message; when no turn runs, it becomes one')
    .action(steer);
}

async function steer(id: string, text: string, options: CommonOptions & ActorOptions): Promise<void> {
  await withClient(flagsOf(options), async (client, { owner }) => {
    const { session } = await existingSession(client, owner, id);
    const turn = await session.steer(text, { actor: actorOf(options) });
    if (options.json) printJson({ sessionId: id, turnId: turn.id, status: turn.status });
    else
      printLines([
        turn.status === 'steered' ? `steered turn ${turn.turn} of ${id}` : `began turn ${turn.turn} of ${id}`,
      ]);
  });
}
