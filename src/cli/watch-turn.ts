import type { PendingCall, Reply, Session, Turn } from '../client/index.ts';
import type { Actor } from '../core/approval.ts';
import { approveAll, approveOneByOne, type Approval } from './approve.ts';
import { exitCode } from './exit-codes.ts';
import { isPause } from './finish.ts';
import { onInterrupt } from './on-interrupt.ts';
import { eventPrinter, notice, printLines, terminalStyle } from './output.ts';
import { askAtTerminal } from './prompter.ts';
import { reportError } from './report-error.ts';

export interface WatchOptions {
  json?: boolean;
  /** Approve every call that asks. */
  yes?: boolean;
  /** Who answers. */
  actor: Actor;
  /** Other commands reach this Temporal, so that other people can answer. */
  isShared: boolean;
}

/**
 * Prints a turn live, to its end or to a gate that nobody answers here. At a terminal a person is asked, and what others must answer is
 * waited for. Ctrl-C interrupts the turn, and shows how it ends; while it waits for others, it leaves it waiting.
 */
export async function watchTurn(session: Session, turn: Turn, options: WatchOptions): Promise<Reply> {
  const print = eventPrinter(options.json === true);
  const stopping = new AbortController();
  const leaving = new AbortController();
  let hasBegun = turn.status !== 'queued';
  let waitsForOthers = false;
  const stopListening = onInterrupt(() => {
    if (!hasBegun) return leaveQueued(turn);
    if (waitsForOthers) return leaving.abort();
    stopping.abort();
    notice('interrupting the turn; Ctrl-C again leaves it');
    session.interrupt('Ctrl-C').catch((error: unknown) => reportError(error, options.json === true));
  }, ['SIGINT']);
  try {
    for await (const event of turn.events({ signal: leaving.signal })) {
      hasBegun = true;
      print(event);
      if (event.kind === 'run_start' && !event.path) waitsForOthers = false;
      if (event.kind === 'require_user_confirm') await answerRunning(session, options, stopping.signal);
      if (event.kind !== 'run_end' || !isPause(event.reason)) continue;
      const approval = await answerGates(session, options, stopping.signal);
      if (approval === 'answered') continue;
      if (approval === 'unasked' || !options.isShared) break;
      waitsForOthers = true;
      notice('the turn waits for others; Ctrl-C leaves it waiting');
    }
    return await turn.result();
  } finally {
    stopListening();
  }
}

async function answerGates(session: Session, options: WatchOptions, signal: AbortSignal): Promise<Approval> {
  for (;;) {
    const now = await session.get();
    // Calls of sessions below wait while this one's turn runs.
    const waits = now?.state === 'waiting' || now?.pending.some(({ path }) => path);
    if (!now || !waits || signal.aborted) return 'answered';
    const asking = now.pending.filter(({ state }) => state === 'asking');
    if (asking.length === 0) return 'unasked';
    const approval = await answer(session, asking, options, signal);
    if (approval !== 'answered') return signal.aborted ? 'answered' : approval;
  }
}

/** Calls that ask in the middle of their execution end no run: they are answered while it goes on, here or elsewhere. */
async function answerRunning(session: Session, options: WatchOptions, signal: AbortSignal): Promise<void> {
  const running = (await session.get())?.pending.filter(({ isRunning }) => isRunning) ?? [];
  if (running.length > 0 && !signal.aborted) await answer(session, running, options, signal);
}

async function answer(
  session: Session,
  asking: PendingCall[],
  options: WatchOptions,
  signal: AbortSignal,
): Promise<Approval> {
  const { actor } = options;
  const isAsked = !options.json && process.stdin.isTTY;
  const say = (line: string): void => (isAsked ? printLines([line]) : notice(line));
  const open = options.yes ? asking.filter(({ question }) => question) : asking;
  const approval = options.yes ? await approveAll({ session, say, actor }, asking) : 'answered';
  if (approval === 'waits' || open.length === 0) return approval;
  if (!isAsked) return 'unasked';
  return approveOneByOne({ session, ask: askAtTerminal, say, signal, style: terminalStyle(), actor }, open);
}

/** An interrupt would reach the turn that runs now, which is not ours. */
function leaveQueued(turn: Turn): never {
  notice(`turn ${turn.turn} stays queued, and runs when its time comes`);
  process.exit(exitCode.aborted);
}
