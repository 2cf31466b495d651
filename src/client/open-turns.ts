import type { Client } from '@temporalio/client';
import { turnIdOf, type SessionRef } from '../contracts/ids.ts';
import { isWorkflowOpen } from '../inbox/is-open.ts';

/** A turn that ran so lately is not asked about again: gates are looked at often. */
const freshMs = 5_000;
const maxTurns = 10_000;
/** The store alone answers where Temporal does not. */
const answerMs = 2_000;

/** Tells which turns run: a turn whose workflow was ended from outside can't say so, and its gates would stay for ever. */
export class OpenTurns {
  readonly #temporal: Client;
  readonly #seenAt = new Map<string, number>();

  constructor(temporal: Client) {
    this.#temporal = temporal;
  }

  /** The calls, among these, that an answer can reach. */
  async answerable<T extends { ref: SessionRef; turn: number }>(calls: readonly T[]): Promise<T[]> {
    const turnIds = calls.map(({ ref, turn }) => turnIdOf(ref, turn));
    const closed = new Set<string>();
    await Promise.all(
      [...new Set(turnIds)].map(async (turnId) => {
        if (!(await this.#isOpen(turnId))) closed.add(turnId);
      }),
    );
    return calls.filter((_, i) => !closed.has(turnIds[i] ?? ''));
  }

  async #isOpen(turnId: string): Promise<boolean> {
    const now = performance.now();
    if (now - (this.#seenAt.get(turnId) ?? Number.NEGATIVE_INFINITY) < freshMs) return true;
    this.#seenAt.delete(turnId);
    try {
      const isOpen = await this.#temporal.connection.withDeadline(Date.now() + answerMs, () =>
        isWorkflowOpen(this.#temporal, turnId),
      );
      if (!isOpen) return false;
    } catch {
      return true;
    }
    this.#seenAt.set(turnId, now);
    for (const oldest of this.#seenAt.keys()) {
      if (this.#seenAt.size <= maxTurns) break;
      this.#seenAt.delete(oldest);
    }
    return true;
  }
}
