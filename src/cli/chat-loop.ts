import { randomUUID } from 'node:crypto';
import { createInterface, type Interface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { DurascopeError, type PendingCall, type Session } from '../client/index.ts';
import { parseTurnId } from '../contracts/ids.ts';
import type { IfBusy } from '../contracts/inputs.ts';
import type { AgentEvent } from '../schema/event.ts';
import { StoreUnavailableError } from '../store/store-errors.ts';
import type { Actor } from '../core/approval.ts';
import { approveOneByOne, type Approval } from './approve.ts';
import { exitCode } from './exit-codes.ts';
import { howToAnswer, isPause } from './finish.ts';
import { eventPrinter, notice, printLines, terminalStyle } from './output.ts';
import type { Ask } from './prompter.ts';
import { describeError } from './report-error.ts';
import { TerminalOutput } from './terminal-output.ts';
import { usageText } from './text.ts';

const retryPauseMs = 2_000;
/** The client tries for half a minute before it says that nobody answers: too long to say nothing. */
const slowMs = 3_000;

const busyModes = { '/queue': 'queue', '/steer': 'steer', '/deny': 'deny' } as const;
const commands = ['/interrupt', '/status', '/queue', '/steer', '/deny', '/quit'];
const whileItWaits = [
  'or: /queue TEXT  after this turn',
  '    /deny TEXT   deny what waits for approval, and go on with the text',
  '    /steer TEXT  into this turn, once it goes on',
];

/**
 * One session at a terminal. One loop prints the session's events as they come, whoever caused them; lines that are typed become turns,
 * steers, answers to an approval, or commands.
 */
export class ChatLoop {
  readonly #session: Session;
  /** Who asks and answers. */
  readonly #actor: Actor;
  readonly #output: TerminalOutput;
  readonly #lines: Interface;
  readonly #print: (event: AgentEvent) => void;
  readonly #ending = new AbortController();
  /** Takes the next line, when a question is open. */
  #answer: ((line: string | undefined) => void) | undefined;
  /** The call that it is about. */
  #askedCall: string | undefined;
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

  constructor(session: Session, options: { actor: Actor; isJson: boolean }) {
    const { actor, isJson } = options;
    this.#session = session;
    this.#actor = actor;
    this.#print = eventPrinter(isJson);
    this.#output = new TerminalOutput(isJson || !process.stdout.isTTY ? process.stderr : process.stdout);
    this.#lines = createInterface({ input: process.stdin, output: this.#output, prompt: '> ' });
    // A secret is not to be found again with the arrow keys.
    this.#lines.on('history', (history) => {
      if (this.#output.isMuted) history.shift();
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
    if (this.#answer && (this.#output.isMuted || !isCommand(line))) {
      this.#answer(line);
      return;
    }
    this.#work = this.#work
      .then(() => this.#obey(line.trim()))
      .catch((error: unknown) => this.#complain(error));
  }

  async #obey(line: string): Promise<void> {
    const [, command = '', text = ''] = /^(\/\S*)?\s*(.*)$/s.exec(line) ?? [];
    switch (command) {
      case '':
        if (text !== '') await this.#send(text);
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
      case '/queue':
      case '/steer':
      case '/deny':
        if (text === '') notice(`${command} needs a text: ${command} TEXT`);
        else await this.#send(text, busyModes[command]);
        break;
      default:
        notice(`${command} is no command: ${commands.join(', ')}`);
    }
    this.#prompt();
  }

  /** Until it is taken: the key makes a repeat harmless. */
  async #send(text: string, ifBusy?: IfBusy): Promise<void> {
    const idempotencyKey = randomUUID();
    while (!this.#ending.signal.aborted) {
      const slow = setTimeout(() => notice('no answer yet, still trying …'), slowMs);
      try {
        const how = ifBusy ?? (await this.#usualIfBusy());
        const { turn } = await this.#session.submit(text, {
          idempotencyKey,
          actor: this.#actor,
          ...(how === undefined ? {} : { ifBusy: how }),
        });
        this.#taken = Math.max(this.#taken, turn);
        return;
      } catch (error) {
        if (error instanceof DurascopeError && error.code === 'waiting') return await this.#tellChoices(text);
        if (!isPassing(error)) throw error;
        this.#complain(error);
        await delay(retryPauseMs, undefined, { signal: this.#ending.signal }).catch(() => {});
      } finally {
        clearTimeout(slow);
      }
    }
  }

  /** What is typed steers a turn that runs. While a gate is open it may be meant in several ways: the client asks. */
  async #usualIfBusy(): Promise<IfBusy | undefined> {
    return (await this.#session.get())?.state === 'waiting' ? undefined : 'steer';
  }

  async #tellChoices(text: string): Promise<void> {
    notice(`not sent, because the turn waits: "${text}"`);
    for (const line of howToAnswer((await this.#session.get())?.pending ?? [])) notice(line);
    for (const line of whileItWaits) notice(line);
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
    this.#print(event);
    if (event.path) return this.#showBelow(event);
    const turn = parseTurnId(event.turnId)?.turn ?? 0;
    this.#taken = Math.max(this.#taken, turn);
    if (event.kind === 'run_start') this.#waitsForOthers = false;
    // Somebody else was faster.
    if (event.kind === 'gate_answered' && event.callId === this.#askedCall && event.answer !== 'vote')
      this.#answer?.(undefined);
    if (event.kind === 'run_end' && isPause(event.reason)) void this.#approve();
    if (event.kind !== 'turn_end') return;
    this.#ended = turn;
    this.#isInterrupting = false;
    this.#answer?.(undefined);
    if (!this.#isRunning) this.#whenIdle?.();
    this.#prompt();
  }

  /** A session below may ask while this one's turn goes on. */
  #showBelow(event: AgentEvent): void {
    if (event.kind === 'gate_answered' && event.callId === this.#askedCall && event.answer !== 'vote')
      this.#answer?.(undefined);
    if (event.kind === 'run_end' && isPause(event.reason)) void this.#approve();
  }

  async #approve(): Promise<void> {
    try {
      const pending = (await this.#session.get())?.pending ?? [];
      const approval = process.stdin.isTTY ? await this.#approveOneByOne(pending) : 'unasked';
      if (approval === 'answered' && pending.every(({ state }) => state === 'asking')) return;
      for (const line of howToAnswer((await this.#session.get())?.pending ?? [])) notice(line);
      this.#waitsForOthers = true;
      this.#whenIdle?.();
    } catch (error) {
      this.#complain(error);
    }
  }

  #approveOneByOne(pending: readonly PendingCall[]): Promise<Approval> {
    return approveOneByOne(
      {
        session: this.#session,
        actor: this.#actor,
        ask: this.#ask,
        say: (line) => printLines([line]),
        style: terminalStyle(),
        signal: this.#ending.signal,
      },
      pending,
    );
  }

  readonly #ask: Ask = (question, { prefill, isSecret = false, callId } = {}) => {
    if (this.#isClosed) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#askedCall = callId;
      this.#answer = (line) => {
        this.#answer = undefined;
        this.#askedCall = undefined;
        this.#lines.setPrompt('> ');
        if (isSecret) this.#output.showAgain();
        resolve(line);
      };
      this.#lines.setPrompt(question);
      this.#lines.prompt();
      this.#output.isMuted = isSecret;
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
    if (!process.stdin.isTTY || this.#ending.signal.aborted) return;
    if (this.#answer || !this.#isRunning) this.#lines.prompt(this.#answer !== undefined);
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

function isCommand(line: string): boolean {
  return commands.includes(line.trim().split(/\s/, 1)[0] ?? '');
}
