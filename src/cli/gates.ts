import type { Command } from 'commander';
import { defineCommand, flagsOf, type CommonOptions } from './define-command.ts';
import { openReader, withClient } from './open-client.ts';
import { wholeNumber } from './option-parsers.ts';
import { notice, printJson, printLines } from './output.ts';
import { oneLine, table } from './text.ts';

interface GatesOptions extends CommonOptions {
  limit?: number;
  cursor?: string;
}

const waitsFor: Record<string, string> = {
  asking: 'approval',
  submitted: 'its system',
  uncertain: 'reconciling',
};

export function gatesCommand(): Command {
  return defineCommand(
    'gates',
    'list the calls that wait for an answer, oldest first',
    'durascope gates --owner acme',
  )
    .option('--limit <n>', 'rows of one page', wholeNumber(1, 200))
    .option('--cursor <cursor>', 'the next page, as the last one told')
    .action(gates);
}

async function gates(options: GatesOptions): Promise<void> {
  const { limit, cursor } = options;
  await withClient(
    flagsOf(options),
    async (client, { owner }) => {
      const page = await client.gates(owner, {
        ...(limit === undefined ? {} : { limit }),
        ...(cursor === undefined ? {} : { cursor }),
      });
      if (options.json) return printJson(page);
      if (page.items.length === 0) return notice(`no call of owner ${owner} waits`);
      const rows = page.items.map((call) => [
        call.callId,
        call.sessionId,
        waitsFor[call.state] ?? call.state,
        oneLine(`${call.name} ${call.arguments}`, 60),
      ]);
      printLines(table(['CALL', 'SESSION', 'WAITS FOR', 'WHAT'], rows));
      if (page.nextCursor !== undefined) notice(`more: --cursor ${page.nextCursor}`);
    },
    openReader,
  );
}
