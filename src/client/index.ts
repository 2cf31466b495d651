export { DurascopeClient, type ConnectOptions } from './temporal-client.ts';
export { DurascopeError, type DurascopeErrorCode } from './durascope-error.ts';
export type { TaskState, TaskView } from '../core/plan.ts';
export type {
  AnswerOptions,
  Durascope,
  EventOptions,
  Input,
  PendingCall,
  Reply,
  Session,
  SessionAddress,
  SessionDetails,
  SessionFilter,
  SubmitOptions,
  Turn,
} from './client.ts';
