import { Option, type Command } from 'commander';
import type { Reconciliation } from '../contracts/inputs.ts';
import { actorOf, withActorOptions, type ActorOptions } from './actor.ts';
import { UsageError } from './command-error.ts';
import { defineCommand, flagsOf, type CommonOptions } from './define-command.ts';
import { withClient } from './open-client.ts';
import { printJson, printLines } from './output.ts';
import { waitingCall } from './waiting-call.ts';

interface ReconcileOptions extends CommonOptions, ActorOptions {
  happened?: true;
  didNotHappen?: true;
  reason: string;
  content?: string;
}

export function reconcileCommand(): Command {
  const command = defineCommand(
    'reconcile',
    'say whether a call happened whose worker died before its outcome was recorded',
    [
      'durascope reconcile call_1 --happened --reason "seen in the bank statement" --content "refunded 5.00"',
      'durascope reconcile call_1 --did-not-happen --reason "the bank knows nothing of it"',
    ].join('\n'),
  );
  return withActorOptions(command, 'who found out, for the record')
    .argument('<call>', 'its id, as "durascope gates" lists it')
    .addOption(new Option('--happened', 'it is not run again').conflicts('didNotHappen'))
    .addOption(
      new Option('--did-not-happen', 'it is judged again by the rules of now, and runs if it may').conflicts(
        'content',
      ),
    )
    .requiredOption('--reason <text>', 'how you know; the model reads it where no --content is given')
    .option('--content <text>', 'what the tool would have returned, for the model')
    .action(reconcile);
}

async function reconcile(callId: string, options: ReconcileOptions): Promise<void> {
  const reconciliation = reconciliationOf(callId, options);
  await withClient(flagsOf(options), async (client, { owner }) => {
    const { session } = await waitingCall(client, { owner, callId }, 'uncertain');
    await session.reconcile([reconciliation], { actor: actorOf(options) });
    if (options.json) printJson({ ...reconciliation, sessionId: session.id });
    else printLines([`${done[reconciliation.outcome]} ${callId}: session ${session.id} goes on`]);
  });
}

const done: Record<Reconciliation['outcome'], string> = {
  happened: 'recorded',
  did_not_happen: 'reopened',
};

function reconciliationOf(callId: string, options: ReconcileOptions): Reconciliation {
  const { happened, didNotHappen, reason, content } = options;
  if (!happened && !didNotHappen)
    throw new UsageError(
      `Find out what became of call ${callId}, and say --happened or --did-not-happen: with the second it may run`,
    );
  return {
    callId,
    outcome: happened ? 'happened' : 'did_not_happen',
    reason,
    ...(content === undefined ? {} : { content }),
  };
}
