import { createInterface } from 'node:readline/promises';
import { findTemporalCli } from '../../src/embedded/find-cli.ts';
import { DurascopeError, type Session } from 'durascope/client';
import type { GateCall } from 'durascope';
import type { Terminal } from './terminal.ts';

export interface Approval {
  session: Session;
  turnId: string;
  call: GateCall;
  temporal: { address: string; namespace: string };
  isAutomatic: boolean;
  terminal: Terminal;
  /** Aborts when the gate was answered from elsewhere. */
  signal: AbortSignal;
}

/** Has a call decided on: by itself, by whoever sits at the terminal, or by a signal that somebody else sends. */
export async function approve(approval: Approval): Promise<void> {
  const { session, call, isAutomatic, terminal } = approval;
  const decide = async (decision: 'allow' | 'deny', actor: string): Promise<void> => {
    try {
      await session.confirm([{ callId: call.callId, decision }], { actor });
    } catch (error) {
      if (!(error instanceof DurascopeError) || error.code !== 'conflict') throw error;
      terminal.line('  Somebody was faster: it is answered already.');
    }
  };
  terminal.stage(`${call.name} waits for a person, and would wait for days: ${call.arguments}`);
  if (isAutomatic) {
    terminal.line('  --yes: approved.');
    await decide('allow', 'demo --yes');
    return;
  }
  if (!process.stdin.isTTY) {
    terminal.line('  This is no terminal to ask in. Approve it with this command, or start with -- --yes:');
    terminal.line(`  ${await signalCommand(approval)}`);
    return;
  }
  terminal.line('  Answer here, on the admin page, or from another terminal:');
  terminal.line(`  ${await signalCommand(approval)}`);
  const decision = await ask('  Approve? [y/n] ', approval.signal);
  if (decision !== undefined) await decide(decision, 'you');
}

async function ask(question: string, signal: AbortSignal): Promise<'allow' | 'deny' | undefined> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  // In raw mode the terminal sends no signal for Ctrl-C: the interface sees the key.
  terminal.on('SIGINT', () => process.emit('SIGINT'));
  try {
    for (;;) {
      const answer = (await terminal.question(question, { signal })).trim();
      if (/^y(es)?$/i.test(answer)) return 'allow';
      if (/^no?$/i.test(answer)) return 'deny';
    }
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  } finally {
    terminal.close();
  }
}

/** Gates are answered by plain signals, so Temporal's own tools can do it too. */
async function signalCommand({ turnId, call, temporal }: Approval): Promise<string> {
  const isOurs = !process.env['TEMPORAL_ADDRESS'];
  const cli = isOurs ? await findTemporalCli() : 'temporal';
  const input = JSON.stringify({ results: [{ callId: call.callId, decision: 'allow' }] });
  const { address, namespace } = temporal;
  return `${cli} workflow signal --address ${address} --namespace ${namespace} --workflow-id ${turnId} --name confirm --input '${input}'`;
}
