import type { LetterInput } from './activities.ts';
import type { SessionRef } from './ids.ts';

/** A session that was erased, and the agent whose sources may have kept something for it. */
export interface CleanUpInput {
  ref: SessionRef;
  agent: string;
  /** For the leader of the team that it was in. */
  letter?: LetterInput;
}

export interface CleanUpActivities {
  /** Removes what sources keep for a session outside of the store. */
  removeKept(input: CleanUpInput): Promise<void>;
}

export function cleanUpWorkflowId({ owner, sessionId }: SessionRef): string {
  return `clean-up/${owner}/${sessionId}`;
}
