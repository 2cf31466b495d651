import type { SessionRef } from '../contracts/ids.ts';

/** What goes on beside a session is looked after at the start of each of its turns, and this often within them. */
const apartMs = 5_000;
const maxSessions = 1_000;

/** Remembers when each session was looked after last, to say whether it is time again. */
export function lookout(): (ref: SessionRef, isTurnStart: boolean) => boolean {
  const lookedAt = new Map<string, number>();
  return ({ owner, sessionId }, isTurnStart) => {
    const key = `${owner}/${sessionId}`;
    const now = performance.now();
    const isDue = now - (lookedAt.get(key) ?? Number.NEGATIVE_INFINITY) >= apartMs;
    if (!isDue && !isTurnStart) return false;
    lookedAt.delete(key);
    lookedAt.set(key, now);
    for (const oldest of lookedAt.keys()) {
      if (lookedAt.size <= maxSessions) break;
      lookedAt.delete(oldest);
    }
    return true;
  };
}
