import type { Command } from 'commander';
import type { SessionState } from '../store/store.ts';
import { defineCommand, flagsOf, type CommonOptions } from './define-command.ts';
import { openReader, withClient } from './open-client.ts';
import { oneOf, wholeNumber } from './option-parsers.ts';
import { notice, printJson, printLines } from './output.ts';
import { table, usageText } from './text.ts';

interface SessionsOptions extends CommonOptions {
  state?: SessionState;
  agent?: string;
  limit?: number;
  cursor?: string;
}

export function sessionsCommand(): Command {
  return defineCommand(
    'sessions',
    'list the sessions of an owner, newest change first',
    'durascope sessions --state waiting --agent support',
  )
    .option('--state <state>', 'idle, running or waiting', oneOf('idle', 'running', 'waiting'))
    .option('--agent <name>', 'of this agent only')
    .option('--limit <n>', 'rows of one page', wholeNumber(1, 200))
    .option('--cursor <cursor>', 'the next page, as the last one told')
    .action(sessions);
}

async function sessions(options: SessionsOptions): Promise<void> {
  const { state, agent, limit, cursor } = options;
  await withClient(
    flagsOf(options),
    async (client, { owner }) => {
      const page = await client.sessions(owner, {
        ...(state === undefined ? {} : { state }),
        ...(agent === undefined ? {} : { agent }),
        ...(limit === undefined ? {} : { limit }),
        ...(cursor === undefined ? {} : { cursor }),
      });
      if (options.json) return printJson(page);
      if (page.items.length === 0) return notice(`owner ${owner} has no such sessions`);
      const rows = page.items.map((session) => [
        session.ref.sessionId,
        session.agent,
        session.state,
        String(session.lastTurn),
        session.updatedAt,
        usageText(session.usage),
      ]);
      printLines(table(['SESSION', 'AGENT', 'STATE', 'TURNS', 'CHANGED', 'USAGE'], rows));
      if (page.nextCursor !== undefined) notice(`more: --cursor ${page.nextCursor}`);
    },
    openReader,
  );
}
