import type { SessionRef } from '../contracts/ids.ts';
import { mapSecrets } from '../core/redact.ts';
import type { Json } from '../schema/message.ts';
import type { Store } from '../store/store.ts';

/** What the model writes where a tool needs a secret that a person gave: the value itself never enters the transcript. */
export function placeholderOf(callId: string): string {
  return `{{secret:${callId}}}`;
}

const placeholder = /^\{\{secret:(call_[A-Za-z0-9]+)\}\}$/;

/**
 * Arguments with secrets in place of their placeholders, for the tool alone. Only a whole value of a field that the tool declares secret is
 * filled: anywhere else the secret would be shown, or become part of what was judged without it.
 */
export async function fillSecrets(
  store: Store,
  ref: SessionRef,
  raw: string,
  secrets: readonly string[],
): Promise<string> {
  if (secrets.length === 0 || !raw.includes('{{secret:')) return raw;
  const answers = new Map<string, string>();
  for (const [, callId = ''] of raw.matchAll(/\{\{secret:(call_[A-Za-z0-9]+)\}\}/g)) {
    const [part] = (await store.blobs.get(ref, callId)) ?? [];
    if (part?.type === 'text') answers.set(callId, part.text);
  }
  const fill = (value: Json): Json => {
    const callId = typeof value === 'string' ? placeholder.exec(value)?.[1] : undefined;
    return (callId === undefined ? undefined : answers.get(callId)) ?? value;
  };
  return mapSecrets(raw, secrets, fill);
}
