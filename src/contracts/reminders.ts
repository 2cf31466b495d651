import type { SessionRef } from './ids.ts';
import type { InboxMessage } from './inbox.ts';

/** A message to a session at a later time. */
export interface WakeUpInput {
  to: SessionRef;
  /** ISO time. */
  at: string;
  message: InboxMessage;
}

export interface ReminderActivities {
  /** Puts the message into the session's inbox, and takes the reminder off the session's list. */
  wakeSession(input: WakeUpInput): Promise<void>;
}

export function reminderWorkflowId({ owner, sessionId }: SessionRef, id: string): string {
  return `reminder/${owner}/${sessionId}/${id}`;
}
