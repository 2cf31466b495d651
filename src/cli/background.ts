import type { Command } from 'commander';
import { defineCommand, flagsOf, type CommonOptions } from './define-command.ts';
import { existingSession } from './existing-session.ts';
import { withClient } from './open-client.ts';
import { notice, printJson, printLines } from './output.ts';
import { printable, table } from './text.ts';

interface BackgroundOptions extends CommonOptions {
  cancel?: string;
  reason?: string;
}

export function backgroundCommand(): Command {
  return defineCommand(
    'background',
    'list what goes on in the background of a session, or stop one of it',
    'durascope background case-42\ndurascope background case-42 --cancel call_7f --reason "not needed"',
  )
    .argument('<session>', 'its id, as "durascope sessions" lists it')
    .option('--cancel <task>', 'stop this one; the session is told what it came to')
    .option('--reason <text>', 'why, for the record')
    .action(background);
}

async function background(id: string, { cancel, reason, ...options }: BackgroundOptions): Promise<void> {
  await withClient(flagsOf(options), async (client, { owner }) => {
    const { session, details } = await existingSession(client, owner, id);
    if (cancel !== undefined) {
      await session.cancelTask(cancel, reason);
      if (options.json) printJson({ sessionId: id, taskId: cancel, isCancelled: true });
      else printLines([`task ${cancel} of ${id} is told to stop`]);
      return;
    }
    if (options.json) return printJson({ background: details.background });
    if (details.background.length === 0) return notice(`nothing went on in the background of ${id}`);
    printLines(
      table(
        ['TASK', 'TOOL', 'STATE', 'BEGAN', 'ENDED', 'SESSION'],
        details.background.map(({ taskId, name, state, startedAt, endedAt, taskSessionId }) =>
          [taskId, name, state, startedAt, endedAt ?? '-', taskSessionId ?? '-'].map(printable),
        ),
      ),
    );
  });
}
