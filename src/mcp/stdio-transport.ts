import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { getDefaultEnvironment } from '@modelcontextprotocol/sdk/client/stdio.js';
import { deserializeMessage, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { signalGroup } from '../embedded/signal-group.ts';
import { hasEnded, spawnTied } from '../embedded/tied-process.ts';
import { McpServerError } from './mcp-error.ts';

/** A message above this many bytes ends the connection. */
export const maxMessageBytes = 32 * 1024 * 1024;

const stderrKept = 4_000;
const politeMs = 1_000;

export interface StdioCommand {
  command: string;
  args: readonly string[];
  /** Besides the few variables that are safe to inherit. */
  env: Readonly<Record<string, string>>;
  cwd?: string;
}

/**
 * A server process and its pipes. Unlike the SDK's own transport it owns the whole process group: what a server starts (`npx` starts the
 * server itself) ends with it, and with this process, however either ends.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** The end of what it wrote to stderr, in whole lines: half a secret would not be known for one. */
  stderr = '';
  /** It wrote a message that is larger than is taken. */
  isTooLarge = false;
  readonly #command: StdioCommand;
  #child: ChildProcess | undefined;
  #closed: Promise<void> = Promise.resolve();
  #line: Buffer[] = [];
  #lineBytes = 0;

  constructor(command: StdioCommand) {
    this.#command = command;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** How it ended, where it has. */
  get ending(): string | undefined {
    const child = this.#child;
    if (!child || !hasEnded(child)) return undefined;
    return child.signalCode ? `by ${child.signalCode}` : `with code ${child.exitCode}`;
  }

  start(): Promise<void> {
    const { command, args, env, cwd } = this.#command;
    const child = spawnTied(command, args, {
      env: { ...getDefaultEnvironment(), ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      // A group of its own.
      detached: true,
      ...(cwd === undefined ? {} : { cwd }),
    });
    this.#child = child;
    child.stdin?.on('error', (error) => this.onerror?.(error));
    child.stderr?.on('data', (chunk: Buffer) => {
      const said = this.stderr + chunk.toString();
      const kept = said.slice(-stderrKept);
      this.stderr = kept === said ? said : kept.slice(kept.indexOf('\n') + 1);
    });
    child.stdout?.on('data', (chunk: Buffer) => this.#read(chunk));
    this.#closed = new Promise((resolve) => child.once('close', () => resolve()));
    child.once('close', () => {
      signalGroup(this.#child?.pid, 'SIGKILL');
      this.onclose?.();
    });
    return new Promise((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
      child.on('error', (error) => this.onerror?.(error));
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (!stdin?.writable) return Promise.reject(new McpServerError('unavailable', 'its process has ended'));
    return new Promise((resolve, reject) => {
      stdin.write(serializeMessage(message), (error) => {
        if (!error) resolve();
        // How its process ended says more than that its input did, and comes a moment later.
        else
          void Promise.race([this.#closed, delay(politeMs, undefined, { ref: false })]).then(() =>
            reject(error),
          );
      });
    });
  }

  /** Ends it: its input is closed, which is the polite way, then by SIGTERM and SIGKILL. */
  async close(): Promise<void> {
    const child = this.#child;
    if (!child?.pid || hasEnded(child)) return;
    child.stdin?.end();
    const timers = [
      setTimeout(() => signalGroup(this.#child?.pid, 'SIGTERM'), politeMs),
      setTimeout(() => signalGroup(this.#child?.pid, 'SIGKILL'), 2 * politeMs),
    ];
    await this.#closed;
    timers.forEach((timer) => clearTimeout(timer));
  }

  /** Lines, put together once each: a large message comes in a thousand pieces. */
  #read(chunk: Buffer): void {
    let rest = chunk;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      this.#line.push(rest.subarray(0, end));
      const line = Buffer.concat(this.#line).toString('utf8').trim();
      [this.#line, this.#lineBytes] = [[], 0];
      rest = rest.subarray(end + 1);
      if (line !== '') this.#take(line);
    }
    if (rest.length === 0) return;
    this.#line.push(rest);
    this.#lineBytes += rest.length;
    if (this.#lineBytes <= maxMessageBytes) return;
    this.isTooLarge = true;
    this.#line = [];
    signalGroup(this.#child?.pid, 'SIGKILL');
  }

  #take(line: string): void {
    let message: JSONRPCMessage;
    try {
      message = deserializeMessage(line);
    } catch {
      this.onerror?.(new Error(`it wrote something to stdout that is no message: ${line.slice(0, 200)}`));
      return;
    }
    this.onmessage?.(message);
  }
}
