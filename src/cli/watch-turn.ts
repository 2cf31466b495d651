import type { PendingCall, Reply, Session, Turn } from '../client/index.ts';
import { approveAll, approveOneByOne } from './approve.ts';
import { exitCode } from './exit-codes.ts';
import { isPause } from './finish.ts';
import { onInterrupt } from './on-interrupt.ts';
import { eventPrinter, notice } from './output.ts';
import { askAtTerminal } from './prompter.ts';
import { reportError } from './report-error.ts';

export interface WatchOptions {
  json?: boolean;
  /** Approve every call that asks. */
  yes?: boolean;
}

/**
 * Prints a turn live, to its end or to a gate that nobody answers here. At a terminal a person is asked. Ctrl-C interrupts the turn, and
 * shows how it ends.
 */
export async function watchTurn(session: Session, turn: Turn, options: WatchOptions): Promise<Reply> {
  const print = eventPrinter(options.json === true);
  const stopping = new AbortController();
  let hasBegun = turn.status !== 'queued';
  const stopListening = onInterrupt(() => {
    if (!hasBegun) return leaveQueued(turn);
    stopping.abort();
    notice('interrupting the turn; Ctrl-C again leaves it');
    session.interrupt('Ctrl-C').catch((error: unknown) => reportError(error, options.json === true));
  }, ['SIGINT']);
  try {
    for await (const event of turn.events()) {
      hasBegun = true;
      print(event);
      if (event.kind !== 'run_end' || !isPause(event.reason)) continue;
      if (!(await answerGates(session, options, stopping.signal))) break;
    }
    return await turn.result();
  } finally {
    stopListening();
  }
}

/** False when the turn goes on waiting. */
async function answerGates(session: Session, options: WatchOptions, signal: AbortSignal): Promise<boolean> {
  for (;;) {
    const now = await session.get();
    if (now?.state !== 'waiting' || signal.aborted) return true;
    const asking = now.pending.filter(({ state }) => state === 'asking');
    if (asking.length === 0) return false;
    if (!(await answer(session, asking, options, signal))) return signal.aborted;
  }
}

async function answer(
  session: Session,
  asking: PendingCall[],
  options: WatchOptions,
  signal: AbortSignal,
): Promise<boolean> {
  if (options.yes) {
    await approveAll(session, asking);
    return true;
  }
  if (options.json || !process.stdin.isTTY) return false;
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  return approveOneByOne({ session, ask: askAtTerminal, say, signal }, asking);
}

/** An interrupt would reach the turn that runs now, which is not ours. */
function leaveQueued(turn: Turn): never {
  notice(`turn ${turn.turn} stays queued, and runs when its time comes`);
  process.exit(exitCode.aborted);
}
