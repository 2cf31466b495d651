import type { Requesters } from '../core/approval.ts';

/** What a message is about: it decides the words in which the model reads it. */
export type InboxKind = 'team' | 'task' | 'wakeup' | 'schedule' | 'reminder';

/** A message to a session from another one, or from the runtime. It is taken in before the next model call, or begins a turn. */
export interface InboxMessage {
  /** The sender's own id, the same each time that it is sent: a repeat of it does nothing. 1 to 200 characters. */
  id: string;
  kind: InboxKind;
  /** Shown to the model as who speaks; any text of 1 to 200 characters. */
  from: InboxSender;
  /** Of at most `inlineMessageBytes`; `deliver` writes a longer one to the store, and sends its reference. */
  text: string | { ref: string };
  /** Who is behind it: who wrote into the turn that it comes from. Absent: nobody can tell. */
  requesters?: Requesters;
}

export interface InboxSender {
  name: string;
  sessionId?: string;
}

/** A text above this many bytes of UTF-8 goes through the store. */
export const inlineMessageBytes = 16 * 1024;

/** What a session may have waiting, together: as messages, and as characters of JSON. */
export const inboxLimit = { messages: 200, characters: 256 * 1024 };

/** What became of a message: `taken` into the inbox, or known there already. */
export interface InboxAnswer {
  status: 'taken' | 'repeated';
}

/** The input id of a turn that a message began, and the message's id in the transcript: each message is in a session once. */
export function inboxKey(messageId: string): string {
  return `inbox/${messageId}`;
}
