import type { SessionRef } from '../contracts/ids.ts';
import { inlineMessageBytes, type InboxMessage } from '../contracts/inbox.ts';
import type { Store } from '../store/store.ts';

/** A large text goes through the store, so that no message nears the payload limit. */
export async function seal(
  store: Pick<Store, 'blobs'>,
  to: SessionRef,
  message: InboxMessage,
): Promise<InboxMessage> {
  const { text, id } = message;
  if (typeof text !== 'string' || Buffer.byteLength(text) <= inlineMessageBytes) return message;
  const ref = `message/${id}`;
  await store.blobs.put(to, ref, [{ type: 'text', text }]);
  return { ...message, text: { ref } };
}
