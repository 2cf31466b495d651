import type { z } from 'zod';
import { turnIdOf, type SessionRef } from '../contracts/ids.ts';
import type { TurnView } from '../schema/api-answers.ts';
import type { AgentEvent } from '../schema/event.ts';
import type { CompiledSchema } from '../tools/tool-schema.ts';
import type { EventOptions, Reply, Turn, TurnDetails } from './client.ts';
import { httpEvents } from './http-events.ts';
import { ask, find, type HttpContext } from './http-request.ts';
import { toReply } from './to-reply.ts';

/** How long one request waits for a turn: less than what stands between cuts off. */
const waitSeconds = 25;

interface Known {
  status?: Turn['status'];
  after?: number;
  checkOutput?: CompiledSchema['check'];
}

export class HttpTurn<Output = unknown> implements Turn<Output> {
  readonly id: string;
  readonly turn: number;
  readonly status?: 'started' | 'queued' | 'steered' | 'repeated';
  readonly after: number;
  readonly #context: HttpContext;
  readonly #owner: string;
  readonly #checkOutput: Known['checkOutput'];

  constructor(context: HttpContext, ref: SessionRef, turn: number, known: Known) {
    this.#context = context;
    this.#owner = ref.owner;
    this.turn = turn;
    this.id = turnIdOf(ref, turn);
    this.after = known.after ?? 0;
    this.#checkOutput = known.checkOutput;
    if (known.status !== undefined) this.status = known.status;
  }

  async get(): Promise<TurnDetails<Output> | undefined> {
    const view = await find<z.output<typeof TurnView>>(this.#context, {
      path: this.#path,
      owner: this.#owner,
    });
    return view && this.#details(view);
  }

  events(options: EventOptions = {}): AsyncIterable<AgentEvent> {
    return httpEvents(
      this.#context,
      { path: `${this.#path}/events`, owner: this.#owner },
      { after: this.after, ...options },
      (event) => event.kind === 'turn_end' && event.turnId === this.id && event.path === undefined,
    );
  }

  async result(options: { until?: 'gate' | 'end'; signal?: AbortSignal } = {}): Promise<Reply<Output>> {
    const { until = 'gate', signal } = options;
    for (;;) {
      const view = await ask<z.output<typeof TurnView>>(this.#context, {
        path: this.#path,
        owner: this.#owner,
        query: { wait: waitSeconds, until },
        ...(signal ? { signal } : {}),
      });
      const isReached = view.state === 'ended' || (view.state === 'waiting' && until === 'gate');
      if (isReached) return toReply(await this.#details(view));
      signal?.throwIfAborted();
    }
  }

  get #path(): string {
    return `/v1/turns/${encodeURIComponent(this.id)}`;
  }

  async #details(view: z.output<typeof TurnView>): Promise<TurnDetails<Output>> {
    const { sessionId: _, reply, ...details } = view;
    if (reply === undefined) return details;
    const { content, output } = reply;
    return { ...details, content, ...(output === undefined ? {} : { output: await this.#checked(output) }) };
  }

  /** As its submitter's schema reads it. */
  async #checked(written: unknown): Promise<Output> {
    const checked = await this.#checkOutput?.(written);
    return (checked?.ok ? checked.value : written) as Output;
  }
}
