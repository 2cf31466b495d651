import type { Command } from 'commander';
import { defineCommand, flagsOf, type CommonOptions } from './define-command.ts';
import { existingSession } from './existing-session.ts';
import { withClient } from './open-client.ts';
import { printJson, printLines } from './output.ts';

interface InterruptOptions extends CommonOptions {
  reason: string;
}

export function interruptCommand(): Command {
  return defineCommand(
    'interrupt',
    'stop the turn that runs in a session, and keep what it has done',
    'durascope interrupt case-42 --reason "the customer left"',
  )
    .argument('<session>', 'its id, as "durascope sessions" lists it')
    .option('--reason <text>', 'why, for the record', 'interrupted at the command line')
    .action(interrupt);
}

async function interrupt(id: string, options: InterruptOptions): Promise<void> {
  await withClient(flagsOf(options), async (client, { owner }) => {
    const { session, details } = await existingSession(client, owner, id);
    const isRunning = details.state !== 'idle';
    await session.interrupt(options.reason);
    if (options.json) printJson({ sessionId: id, interrupted: isRunning });
    else printLines([isRunning ? `interrupted turn ${details.lastTurn} of ${id}` : `no turn runs in ${id}`]);
  });
}
