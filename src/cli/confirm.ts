import type { Command } from 'commander';
import type { Json } from '../schema/message.ts';
import { actor } from './approve.ts';
import { defineCommand, flagsOf, type CommonOptions } from './define-command.ts';
import { withClient } from './open-client.ts';
import { json } from './option-parsers.ts';
import { printJson, printLines } from './output.ts';

interface ConfirmOptions extends CommonOptions {
  input?: Json;
  actor?: string;
}

export function confirmCommand(): Command {
  return defineCommand(
    'confirm',
    'let a call that waits for approval run',
    `durascope confirm call_1\ndurascope confirm call_1 --input '{"orderId": "1001", "amount": 5}'`,
  )
    .argument('<call>', 'its id, as "durascope gates" lists it')
    .option('--input <json>', 'arguments to run it with instead', json)
    .option('--actor <name>', 'who answers, for the record; default: your user name')
    .action(confirm);
}

async function confirm(callId: string, options: ConfirmOptions): Promise<void> {
  const { input } = options;
  await withClient(flagsOf(options), async (client, { owner }) => {
    const session = await client.sessionOfCall(owner, callId);
    await session.confirm([{ callId, decision: 'allow', ...(input === undefined ? {} : { input }) }], {
      actor: options.actor ?? actor(),
    });
    if (options.json) printJson({ callId, sessionId: session.id, decision: 'allow' });
    else printLines([`allowed ${callId}: session ${session.id} goes on`]);
  });
}
