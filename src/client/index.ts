export { DurascopeClient, type ConnectOptions } from './temporal-client.ts';
export { DurascopeError, type DurascopeErrorCode } from './durascope-error.ts';
export type { TaskState, TaskView } from '../core/plan.ts';
export type {
  AnswerOptions,
  Durascope,
  EventOptions,
  Health,
  Input,
  PendingCall,
  Reply,
  Session,
  SessionAddress,
  SessionDetails,
  SessionFilter,
  SessionSummary,
  SubmitOptions,
  Turn,
  TurnDetails,
} from './client.ts';
