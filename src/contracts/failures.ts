/**
 * Codes of failures that cross Temporal, as the `type` of an ApplicationFailure. Whether one is retried is decided where it is made
 * (activities/to-failure.ts); workflows read only the code.
 */
export const failure = {
  agentNotFound: 'AgentNotFound',
  modelNotFound: 'ModelNotFound',
  modelAuthentication: 'ModelAuthentication',
  modelRejectedRequest: 'ModelRejectedRequest',
  modelContextOverflow: 'ModelContextOverflow',
  modelUnavailable: 'ModelUnavailable',
  inputNotFound: 'InputNotFound',
  storeUnavailable: 'StoreUnavailable',
  tooLarge: 'PayloadTooLarge',
  /** Of an update: the call, turn or input that it names cannot take it. */
  rejected: 'Rejected',
  /** Of a message: its session takes in no more now, and will later. */
  full: 'InboxFull',
  /** Of a message: its session has been ended. */
  ended: 'SessionEnded',
  /** Of an answer: its call waits for one, but this one does not fit it. */
  unfit: 'Unfit',
  /** Of an answer: its call takes it, but not from this person. */
  forbidden: 'Forbidden',
  /** Of a workflow that ran a turn: the turn ended without an answer. Its first detail is the reply. */
  turnFailed: 'TurnFailed',
  internal: 'Internal',
} as const;

export type FailureCode = (typeof failure)[keyof typeof failure];
