import type { Command } from 'commander';
import type { Session, SessionDetails } from '../client/index.ts';
import { defineCommand, flagsOf, type CommonOptions } from './define-command.ts';
import { editsOf } from './edits.ts';
import { existingSession } from './existing-session.ts';
import { onInterrupt } from './on-interrupt.ts';
import { openReader, withClient } from './open-client.ts';
import { wholeNumber } from './option-parsers.ts';
import { eventPrinter, printJson, printLines, terminalStyle } from './output.ts';
import { renderSession } from './render-session.ts';

interface ShowOptions extends CommonOptions {
  events?: boolean;
  follow?: boolean;
  after: number;
  limit?: number;
  cursor?: string;
}

export function showCommand(): Command {
  return defineCommand(
    'show',
    'show a session: state, turns, messages, calls that wait, usage',
    'durascope show case-42\ndurascope show case-42 --events --after 120 --follow',
  )
    .argument('<session>', 'its id, as "durascope sessions" lists it')
    .option('--events', 'replay its events instead')
    .option('--follow', 'go on with new events, until Ctrl-C')
    .option('--after <id>', 'only events after this one', wholeNumber(0, Number.MAX_SAFE_INTEGER), 0)
    .option('--limit <n>', 'messages of one page', wholeNumber(1, 200))
    .option('--cursor <cursor>', 'the next page of messages, as the last one told')
    .action(show);
}

async function show(id: string, options: ShowOptions): Promise<void> {
  await withClient(
    flagsOf(options),
    async (client, { owner }) => {
      const { session, details } = await existingSession(client, owner, id);
      if (options.events || options.follow) return showEvents(session, details, options);
      const { limit, cursor } = options;
      const messages = await session.messages({
        ...(limit === undefined ? {} : { limit }),
        ...(cursor === undefined ? {} : { cursor }),
      });
      const report = {
        ...details,
        turns: await session.turns({ limit: 20 }),
        messages,
        edits: await editsOf(session, messages.items, details.pending),
      };
      if (options.json) printJson(report);
      else printLines(renderSession(report, terminalStyle()));
    },
    openReader,
  );
}

async function showEvents(session: Session, details: SessionDetails, options: ShowOptions): Promise<void> {
  const { after, follow } = options;
  if (!follow && details.lastEventId <= after) return;
  const stop = new AbortController();
  const stopListening = onInterrupt(() => stop.abort());
  const print = eventPrinter(options.json === true, { showsInputs: true });
  try {
    for await (const event of session.events({ after, signal: stop.signal })) {
      print(event);
      if (!follow && event.id >= details.lastEventId) return;
    }
  } finally {
    stopListening();
  }
}
