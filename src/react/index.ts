export { ApiConnection, messageOf, type ApiOptions, type ApiRequest } from './api-connection.ts';
export { ApiError } from './api-error.ts';
export type {
  Confirmation,
  ExternalResult,
  Gate,
  Reconciliation,
  SessionInput,
  SessionView,
  Submitted,
} from './api-types.ts';
export { followEvents, type FollowOptions } from './follow-events.ts';
export { newId } from './new-id.ts';
export { SessionFollower, type SessionAddress, type SessionSnapshot } from './session-follower.ts';
export { useFollower, useSession, type UseSession, type UseSessionOptions } from './use-session.ts';
