import type { Json } from '../schema/message.ts';
import type { SessionSlots } from './tool.ts';

/** Slots of a session that is in no store: nothing is kept. */
export function memorySlots(): SessionSlots {
  const values = new Map<string, Json>();
  return {
    read: async <T extends Json>(name: string) => values.get(name) as T | undefined,
    update: async <T extends Json>(name: string, change: (now: T | undefined) => T | undefined) => {
      const value = change(values.get(name) as T | undefined);
      if (value === undefined) values.delete(name);
      else values.set(name, value);
      return value;
    },
  };
}
