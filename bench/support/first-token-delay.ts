import type { Session } from '../../src/client/index.ts';
import type { ScriptedModel } from '../../src/testing/index.ts';

/** From the moment at which the endpoint, in this process, writes the first token, to its `text_delta` in this process, in milliseconds. */
export async function firstTokenDelay(session: Session, model: ScriptedModel): Promise<number> {
  model.requests.length = 0;
  model.says('one two three four five six seven eight nine ten', { fragment: 5, delayMs: 40 });
  const turn = await session.submit('Count');
  let delay: number | undefined;
  for await (const event of turn.events()) {
    if (delay !== undefined || event.kind !== 'text_delta') continue;
    // The first message of the stream names the role and holds no text.
    const sentAt = model.requests[0]?.sentAt[1] ?? Number.NaN;
    delay = performance.timeOrigin + performance.now() - sentAt;
  }
  return delay ?? Number.NaN;
}
