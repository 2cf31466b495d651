import type { Requesters } from '../core/approval.ts';
import type { PermissionMode } from '../core/permission.ts';
import type { FinishReason, InputPart, Json, Usage } from '../schema/message.ts';
import type { CloseTurnInput } from './activities.ts';
import type { SessionRef } from './ids.ts';
import type { OutputRef, SubmittedInput, TurnError } from './inputs.ts';

/** What a turn came to, as the workflow that had it run carries it: the beginning of its text, and where all of it is. */
export interface TurnReply {
  type: 'reply';
  agent: string;
  sessionId: string;
  turnId: string;
  finishReason: FinishReason;
  usage: Usage;
  /** The first 16,000 characters of its text. */
  text: string;
  /** There is more than `text`: longer text, or media. Given on as an input, all of it is read from the store. */
  isPartial?: boolean;
  /** The answer in the form that was asked for. */
  output?: Json;
  /** The message that holds it; absent when the turn ended without an answer. */
  messageId?: string;
  error?: TurnError;
  /** Who wrote into the turn; absent where that is not known any more. */
  requesters?: Requesters;
}

export const replyTextLimit = 16_000;

/** The answer of a turn, as a part of an input: what its text is too long to travel is read where the input is written. */
export type ReplyPart = Pick<TurnReply, 'type' | 'sessionId'> & {
  messageId: string;
  /** Its text is marked as a message of this speaker. */
  from?: string;
};

/** An input before it is written: parts, and answers of other turns. */
export type TurnContent = string | readonly (InputPart | ReplyPart)[];

/** Short, idempotent store writes around turns that workflows other than a session run: local activities. */
export interface ChildTurnActivities {
  /** Opens a session for a turn, and writes the turn's input. A repeat answers the same turn. */
  openChild(input: OpenChildInput): Promise<OpenedChild>;
  /** Closes the turn, whatever became of its workflow, and reads its answer. */
  closeChild(input: CloseTurnInput): Promise<TurnReply>;
  /** The answer of a turn that has ended; undefined while it has not. */
  readReply(input: { ref: SessionRef; turnId: string }): Promise<TurnReply | undefined>;
}

export interface OpenChildInput {
  ref: SessionRef;
  agent: string;
  /** A repeat of it is the same turn. */
  inputId: string;
  content: TurnContent;
  /** The mode that the session gets, unless it has one. */
  permissionMode?: PermissionMode;
  /** Who is behind the input. Absent: nobody knows. */
  requesters?: Requesters;
  /** JSON Schema of the answer. */
  output?: Record<string, Json>;
}

export interface OpenedChild {
  turn: number;
  input: SubmittedInput;
  output?: OutputRef;
  hasSearchAttributes: boolean;
  /** Set when the turn has ended already: an earlier run of its workflow began it. */
  reply?: TurnReply;
}

/** Activities that reach sessions through Temporal. */
export interface SubmitActivities {
  /** Submits a turn to a session's inbox. Its end is signalled to `replyTo`, unless it has ended already: then its reply is here. */
  submitTurn(input: SubmitTurnInput): Promise<SubmittedTurn>;
}

export interface SubmitTurnInput extends OpenChildInput {
  /** Id of the workflow that waits for the end. */
  replyTo: string;
  /** It was submitted before: a session that is gone was erased, and must not come back. */
  isAgain?: boolean;
}

export interface SubmittedTurn {
  turnId: string;
  reply?: TurnReply;
}
