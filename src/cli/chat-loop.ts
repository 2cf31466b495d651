import { randomUUID } from 'node:crypto';
import { createInterface, type Interface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { DurascopeError, type Session } from '../client/index.ts';
import { parseTurnId } from '../contracts/ids.ts';
import type { AgentEvent } from '../schema/event.ts';
import { StoreUnavailableError } from '../store/store.ts';
import { approveOneByOne } from './approve.ts';
import { exitCode } from './exit-codes.ts';
import { howToAnswer, isPause } from './finish.ts';
import { eventPrinter, notice, printLines } from './output.ts';
import type { Ask } from './prompter.ts';
import { describeError } from './report-error.ts';
import { usageText } from './text.ts';

const retryPauseMs = 2_000;
/** The client tries for half a minute before it says that nobody answers: too long to say nothing. */
const slowMs = 3_000;

/**
 * One session at a terminal. One loop prints the session's events as they come, whoever caused them; lines that are typed become turns,
 * steers, answers to an approval, or commands.
 */
export class ChatLoop {
  readonly #session: Session;
  readonly #lines: Interface;
  readonly #print: (event: AgentEvent) => void;
  readonly #ending = new AbortController();
  /** Takes the next line, when a question is open. */
  #answer: ((line: string | undefined) => void) | undefined;
  /** The newest turn that is known to have been taken, and the newest that has ended. */
  #taken = 0;
  #ended = 0;
  /** The turn waits at a gate, and nobody here answers it. */
  #waitsForOthers = false;
  #isInterrupting = false;
  #isClosed = false;
  /** Lines are taken one after the other. */
  #work: Promise<void> = Promise.resolve();
  #whenIdle: (() => void) | undefined;

  constructor(session: Session, isJson: boolean) {
    this.#session = session;
    this.#print = eventPrinter(isJson);
    this.#lines = createInterface({
      input: process.stdin,
      output: isJson || !process.stdout.isTTY ? process.stderr : process.stdout,
      prompt: '> ',
    });
  }

  /** Ends with the input, `/quit` or Ctrl-C; a turn that runs at the end of the input is seen to its end. */
  async run(): Promise<void> {
    const before = await this.#session.get();
    const following = this.#follow(before?.lastEventId ?? 0);
    if (before && before.state !== 'idle') {
      this.#taken = before.lastTurn;
      notice(`turn ${before.lastTurn} is ${before.state}`);
      if (before.state === 'waiting') void this.#approve();
    }
    const closed = new Promise<void>((resolve) => this.#lines.once('close', resolve));
    this.#lines.on('SIGINT', () => this.#ctrlC());
    process.on('SIGINT', this.#ctrlC);
    this.#lines.on('line', (line) => this.#take(line));
    this.#prompt();
    await closed;
    this.#isClosed = true;
    this.#answer?.(undefined);
    await this.#work;
    if (this.#isRunning && !this.#waitsForOthers && !this.#ending.signal.aborted)
      await new Promise<void>((resolve) => (this.#whenIdle = resolve));
    this.#ending.abort();
    await following;
    process.off('SIGINT', this.#ctrlC);
  }

  get #isRunning(): boolean {
    return this.#taken > this.#ended;
  }

  #take(line: string): void {
    if (this.#answer) {
      this.#answer(line);
      return;
    }
    this.#work = this.#work
      .then(() => this.#obey(line.trim()))
      .catch((error: unknown) => this.#complain(error));
  }

  async #obey(line: string): Promise<void> {
    switch (line) {
      case '':
        break;
      case '/quit':
        this.#end();
        return;
      case '/interrupt':
        await this.#session.interrupt('/interrupt');
        break;
      case '/status':
        await this.#tellStatus();
        break;
      default:
        if (line.startsWith('/')) notice(`${line} is no command: /interrupt, /status, /quit`);
        else await this.#send(line);
    }
    this.#prompt();
  }

  /** Until it is taken: the key makes a repeat harmless. */
  async #send(text: string): Promise<void> {
    const idempotencyKey = randomUUID();
    while (!this.#ending.signal.aborted) {
      const slow = setTimeout(() => notice('no answer yet, still trying …'), slowMs);
      try {
        const { turn } = await this.#session.submit(text, { idempotencyKey, ifBusy: 'steer' });
        this.#taken = Math.max(this.#taken, turn);
        return;
      } catch (error) {
        if (!isPassing(error)) throw error;
        this.#complain(error);
        await delay(retryPauseMs, undefined, { signal: this.#ending.signal }).catch(() => {});
      } finally {
        clearTimeout(slow);
      }
    }
  }

  async #follow(after: number): Promise<void> {
    let cursor = after;
    while (!this.#ending.signal.aborted) {
      try {
        for await (const event of this.#session.events({ after: cursor, signal: this.#ending.signal })) {
          cursor = event.id;
          this.#show(event);
        }
      } catch (error) {
        this.#complain(error);
        await delay(retryPauseMs, undefined, { signal: this.#ending.signal }).catch(() => {});
      }
    }
  }

  #show(event: AgentEvent): void {
    const turn = parseTurnId(event.turnId)?.turn ?? 0;
    this.#taken = Math.max(this.#taken, turn);
    this.#print(event);
    if (event.kind === 'run_start') this.#waitsForOthers = false;
    if (event.kind === 'run_end' && isPause(event.reason)) void this.#approve();
    if (event.kind !== 'turn_end') return;
    this.#ended = turn;
    this.#isInterrupting = false;
    this.#answer?.(undefined);
    if (!this.#isRunning) this.#whenIdle?.();
    this.#prompt();
  }

  async #approve(): Promise<void> {
    try {
      const pending = (await this.#session.get())?.pending ?? [];
      const { signal } = this.#ending;
      const say = (line: string): void => printLines([line]);
      const isAnswered = process.stdin.isTTY
        ? await approveOneByOne({ session: this.#session, ask: this.#ask, say, signal }, pending)
        : false;
      if (isAnswered && pending.every(({ state }) => state === 'asking')) return;
      for (const line of howToAnswer(pending)) notice(line);
      this.#waitsForOthers = true;
      this.#whenIdle?.();
    } catch (error) {
      this.#complain(error);
    }
  }

  readonly #ask: Ask = (question, { prefill } = {}) => {
    if (this.#isClosed) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#answer = (line) => {
        this.#answer = undefined;
        this.#lines.setPrompt('> ');
        resolve(line);
      };
      this.#lines.setPrompt(question);
      this.#lines.prompt();
      if (prefill !== undefined) this.#lines.write(prefill);
    });
  };

  async #tellStatus(): Promise<void> {
    const now = await this.#session.get();
    if (!now) return notice('the session begins with your first message');
    notice(`${now.state} · turn ${now.lastTurn} · ${usageText(now.usage)}`);
    for (const line of howToAnswer(now.pending)) notice(line);
  }

  readonly #ctrlC = (): void => {
    if (this.#isRunning && !this.#isInterrupting) {
      this.#isInterrupting = true;
      this.#session.interrupt('Ctrl-C').catch((error: unknown) => this.#complain(error));
      return;
    }
    if (this.#isRunning) process.exit(exitCode.aborted);
    this.#end();
  };

  #end(): void {
    this.#ending.abort();
    this.#lines.close();
  }

  #prompt(): void {
    if (process.stdin.isTTY && !this.#isRunning && !this.#answer && !this.#ending.signal.aborted)
      this.#lines.prompt();
  }

  #complain(error: unknown): void {
    notice(describeError(error).message);
  }
}

function isPassing(error: unknown): boolean {
  if (error instanceof StoreUnavailableError) return true;
  return (
    error instanceof DurascopeError && (error.code === 'temporal_unavailable' || error.code === 'no_worker')
  );
}
