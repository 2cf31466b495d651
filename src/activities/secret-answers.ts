import type { SessionRef } from '../contracts/ids.ts';
import type { Store } from '../store/store.ts';

/** What the model writes where a tool needs a secret that a person gave: the value itself never enters the transcript. */
export function placeholderOf(callId: string): string {
  return `{{secret:${callId}}}`;
}

const placeholder = /\{\{secret:(call_[A-Za-z0-9]+)\}\}/g;

/** Arguments with secrets in place of their placeholders, for the tool alone. Those of other sessions stay as they are. */
export async function fillSecrets(store: Store, ref: SessionRef, raw: string): Promise<string> {
  const callIds = new Set([...raw.matchAll(placeholder)].map(([, callId]) => callId ?? ''));
  let filled = raw;
  for (const callId of callIds) {
    const [part] = (await store.blobs.get(ref, callId)) ?? [];
    if (part?.type !== 'text') continue;
    // Inside a JSON string: escaped as one, without its quotes.
    filled = filled.replaceAll(placeholderOf(callId), () => JSON.stringify(part.text).slice(1, -1));
  }
  return filled;
}
