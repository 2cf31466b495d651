import type { SessionRef } from '../contracts/ids.ts';
import type { Json } from '../schema/message.ts';
import type { SlotStore } from '../store/store.ts';
import type { SessionSlots } from '../tools/tool.ts';

const slotName = /^[\w.-]{1,100}$/;

/** A session's named state as its tools see it. */
export function slotsOf(slots: SlotStore, ref: SessionRef): SessionSlots {
  return {
    read: async <T extends Json>(name: string) => (await slots.get(ref, checked(name))) as T | undefined,
    update: async <T extends Json>(name: string, change: (now: T | undefined) => T | undefined) =>
      (await slots.update(ref, checked(name), (now) => ({ value: change(now as T | undefined) }))) as
        T | undefined,
  };
}

function checked(name: string): string {
  if (slotName.test(name)) return name;
  throw new TypeError(
    `"${name}" can't name a slot: write up to 100 letters, digits, "_", "-" and ".", such as "notes"`,
  );
}
