import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CallClock } from '../../src/model/timeouts.ts';

const limits = { connectMs: 100, firstTokenMs: 100, idleMs: 100, totalMs: 1_000 };

describe('CallClock', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const start = (): CallClock => new CallClock(limits, new AbortController().signal);
  const wait = (clock: CallClock, ms: number): Promise<void> =>
    clock.waitFor(new Promise((resolve) => setTimeout(resolve, ms)));

  it('adds up the waits of one phase, so that keep-alive comments do not stretch it', async () => {
    const clock = start();
    clock.expect('firstTokenMs');
    const waits = (async () => {
      await wait(clock, 60);
      await wait(clock, 60);
    })();
    await vi.advanceTimersByTimeAsync(120);
    await waits;
    expect(clock.signal.reason).toMatchObject({
      code: 'timeout',
      message: expect.stringContaining('firstTokenMs'),
    });
  });

  it('begins anew with each phase', async () => {
    const clock = start();
    clock.expect('idleMs');
    const waits = (async () => {
      await wait(clock, 60);
      clock.expect('idleMs');
      await wait(clock, 60);
    })();
    await vi.advanceTimersByTimeAsync(120);
    await waits;
    expect(clock.signal.aborted).toBe(false);
  });

  it('counts no time between two waits, but all of it for the whole call', async () => {
    const clock = start();
    clock.expect('idleMs');
    const waited = wait(clock, 60);
    await vi.advanceTimersByTimeAsync(60);
    await waited;
    await vi.advanceTimersByTimeAsync(900);
    expect(clock.signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(40);
    expect(clock.signal.reason).toMatchObject({
      message: expect.stringContaining('1000 ms (timeouts.totalMs)'),
    });
  });

  it('leaves no timer behind', () => {
    const clock = start();
    clock.stop();
    expect(vi.getTimerCount()).toBe(0);
  });
});
