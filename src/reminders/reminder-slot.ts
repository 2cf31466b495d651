import type { SessionRef } from '../contracts/ids.ts';
import type { Json } from '../schema/message.ts';
import type { Store } from '../store/store.ts';

/** A message that a session has set for itself. */
export interface Reminder {
  /** Short, for the model: `r1`. */
  id: string;
  /** ISO time. */
  at: string;
  text: string;
  /** Of the call that set it: its workflow is named after it, and a repeat of the call sets no second one. */
  key: string;
}

interface Reminders {
  nextId: number;
  open: Reminder[];
}

const slot = 'reminders';
const maxOpen = 50;

export async function openReminders(store: Pick<Store, 'slots'>, ref: SessionRef): Promise<Reminder[]> {
  return toReminders(await store.slots.get(ref, slot)).open;
}

/** @throws RangeError when the session has as many as it may have. */
export async function addReminder(
  store: Pick<Store, 'slots'>,
  ref: SessionRef,
  draft: Omit<Reminder, 'id'>,
): Promise<Reminder> {
  const value = await store.slots.update(ref, slot, (now) => {
    const { nextId, open } = toReminders(now);
    if (open.some(({ key }) => key === draft.key)) return { value: now };
    if (open.length >= maxOpen)
      throw new RangeError(`${maxOpen} reminders are open, which is all there may be: cancel some first`);
    const reminders = { nextId: nextId + 1, open: [...open, { id: `r${nextId}`, ...draft }] };
    return { value: reminders as unknown as Json };
  });
  const added = toReminders(value).open.find(({ key }) => key === draft.key);
  if (!added) throw new Error(`reminder ${draft.key} was not kept`);
  return added;
}

export async function removeReminder(
  store: Pick<Store, 'slots'>,
  ref: SessionRef,
  key: string,
): Promise<void> {
  await store.slots.update(ref, slot, (now) => {
    const { nextId, open } = toReminders(now);
    const left = open.filter((reminder) => reminder.key !== key);
    return { value: left.length === open.length ? now : ({ nextId, open: left } as unknown as Json) };
  });
}

function toReminders(value: Json | undefined): Reminders {
  return (value as Reminders | undefined) ?? { nextId: 1, open: [] };
}
