import type { Command } from 'commander';
import { defineCommand, flagsOf, type CommonOptions } from './define-command.ts';
import { openReader, withClient } from './open-client.ts';
import { wholeNumber } from './option-parsers.ts';
import { notice, printJson, printLines, terminalStyle } from './output.ts';
import { renderGate } from './render-gate.ts';

interface GatesOptions extends CommonOptions {
  limit?: number;
  cursor?: string;
}

export function gatesCommand(): Command {
  return defineCommand(
    'gates',
    'list the calls that wait for an answer, oldest first: what, why, and what an answer may be',
    'durascope gates --owner acme',
  )
    .option('--limit <n>', 'calls of one page', wholeNumber(1, 200))
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
      const style = terminalStyle();
      for (const call of page.items) printLines(renderGate(call, style));
      if (page.nextCursor !== undefined) notice(`more: --cursor ${page.nextCursor}`);
    },
    openReader,
  );
}
