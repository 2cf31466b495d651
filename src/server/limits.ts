import type { Durascope } from '../client/client.ts';
import { costOf } from '../core/cost.ts';
import type { OwnerLimits, Price } from '../schema/api-config.ts';
import type { Usage } from '../schema/message.ts';
import { Problem } from './problem.ts';

const turnsRetrySeconds = 5;
const maxBuckets = 10_000;

export interface LimitOptions {
  limitsOf: (owner: string) => OwnerLimits;
  prices: Readonly<Record<string, Price>>;
  /** Of an agent; undefined when it is not known. */
  modelOf: (agent: string) => string | undefined;
}

interface Bucket {
  tokens: number;
  /** In milliseconds since the epoch. */
  at: number;
}

/** Keeps each owner within its limits: requests by this process, turns and the day's use over all processes, by what the store knows. */
export class Limits {
  readonly #client: Pick<Durascope, 'sessions' | 'usage'>;
  readonly #options: LimitOptions;
  readonly #buckets = new Map<string, Bucket>();

  constructor(client: Pick<Durascope, 'sessions' | 'usage'>, options: LimitOptions) {
    this.#client = client;
    this.#options = options;
  }

  get prices(): LimitOptions['prices'] {
    return this.#options.prices;
  }

  /** @throws Problem `too_many_requests` */
  takeRequest(owner: string, now = Date.now()): void {
    const { requestsPerSecond: rate, burst } = this.#options.limitsOf(owner);
    if (rate === undefined) return;
    const most = Math.max(1, burst ?? Math.ceil(rate * 2));
    const bucket = this.#buckets.get(owner) ?? { tokens: most, at: now };
    const tokens = Math.min(most, bucket.tokens + ((now - bucket.at) / 1_000) * rate);
    if (tokens < 1) {
      const seconds = Math.ceil((1 - tokens) / rate);
      throw new Problem('too_many_requests', `More than ${rate} requests a second: slow down`, {
        headers: { 'retry-after': String(seconds) },
      });
    }
    // The last one that asked stands last, so that the first is the one to forget.
    this.#buckets.delete(owner);
    this.#buckets.set(owner, { tokens: tokens - 1, at: now });
    if (this.#buckets.size > maxBuckets) this.#buckets.delete(this.#buckets.keys().next().value ?? '');
  }

  /** Before a turn is begun. @throws Problem `too_many_turns`, `budget_exhausted` */
  async takeTurn(owner: string): Promise<void> {
    const limits = this.#options.limitsOf(owner);
    if (limits.turnsAtOnce !== undefined) await this.#checkTurns(owner, limits.turnsAtOnce);
    if (limits.tokensPerDay !== undefined || limits.costPerDay !== undefined)
      await this.#checkDay(owner, limits);
  }

  async #checkTurns(owner: string, most: number): Promise<void> {
    const { items } = await this.#client.sessions(owner, { state: 'running', limit: most });
    if (items.length < most) return;
    throw new Problem('too_many_turns', `${most} turns run already: wait for one of them to end`, {
      headers: { 'retry-after': String(turnsRetrySeconds) },
    });
  }

  async #checkDay(owner: string, { tokensPerDay, costPerDay }: OwnerLimits): Promise<void> {
    const now = new Date();
    const today = now.toISOString().slice(0, 10);
    const used = await this.#client.usage(owner, { from: today, to: today });
    const tokens = used.reduce((sum, { usage }) => sum + usage.inputTokens + usage.outputTokens, 0);
    const cost = used.reduce((sum, { agent, usage }) => sum + (this.costOf(agent, usage) ?? 0), 0);
    const what =
      tokensPerDay !== undefined && tokens >= tokensPerDay
        ? `${tokens} of ${tokensPerDay} tokens`
        : costPerDay !== undefined && cost >= costPerDay
          ? `${cost.toFixed(2)} of ${costPerDay}`
          : undefined;
    if (what === undefined) return;
    const midnight = Date.parse(`${today}T00:00:00Z`) + 86_400_000;
    throw new Problem('budget_exhausted', `The turns of ${today} (UTC) have used ${what}`, {
      headers: { 'retry-after': String(Math.ceil((midnight - now.getTime()) / 1_000)) },
    });
  }

  /** Undefined where the model's price is not known. */
  costOf(agent: string, usage: Usage): number | undefined {
    const price = this.#options.prices[this.#options.modelOf(agent) ?? ''];
    return price && costOf(usage, price);
  }
}
