import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EventPublisher } from '../../src/activities/event-publisher.ts';
import type { EventBody } from '../../src/schema/event.ts';
import type { EventStore } from '../../src/store/store.ts';

const ref = { owner: 'acme', sessionId: 's1' };
const delta = (text: string): EventBody => ({
  kind: 'text_delta',
  messageId: '1/1',
  blockId: 'b0',
  delta: text,
});

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe('EventPublisher', () => {
  let writes: EventBody[][];
  let publisher: EventPublisher;
  let isStoreAway: boolean;
  beforeEach(() => {
    writes = [];
    isStoreAway = false;
    const appendEphemeral: EventStore['appendEphemeral'] = async (_ref, _turn, _messageId, bodies) => {
      if (isStoreAway) throw new Error('away');
      writes.push(bodies);
      return bodies.map((_, place) => ({ id: place + 1, at: '' }));
    };
    publisher = new EventPublisher({ appendEphemeral }, ref, 1, '1/1');
  });

  it('writes nothing for a stream that ends at once: all goes with the commit', async () => {
    publisher.publish([delta('a')]);
    expect(await publisher.finish()).toEqual({ sent: [], unsent: [delta('a')] });
    await vi.advanceTimersByTimeAsync(100);
    expect(writes).toEqual([]);
  });

  it('writes what comes after a silence within 5 ms, the first token after a slow start as well', async () => {
    publisher.publish([delta('start')]);
    await vi.advanceTimersByTimeAsync(5);
    await vi.advanceTimersByTimeAsync(1_000);
    publisher.publish([delta('first token')]);
    await vi.advanceTimersByTimeAsync(5);
    expect(writes).toEqual([[delta('start')], [delta('first token')]]);
  });

  it('writes a fast stream in bundles, 25 ms apart', async () => {
    for (let token = 0; token < 100; token += 1) {
      publisher.publish([delta(String(token))]);
      await vi.advanceTimersByTimeAsync(1);
    }
    expect(writes.length).toBeLessThanOrEqual(5);
    const { sent, unsent } = await publisher.finish();
    expect([...sent.map(({ body }) => body), ...unsent]).toHaveLength(100);
  });

  it('keeps the order of what a store that was away did not take', async () => {
    isStoreAway = true;
    publisher.publish([delta('a')]);
    await vi.advanceTimersByTimeAsync(5);
    isStoreAway = false;
    publisher.publish([delta('b')]);
    await vi.advanceTimersByTimeAsync(25);
    expect(writes).toEqual([[delta('a'), delta('b')]]);
  });
});
