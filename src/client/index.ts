export { DurascopeClient, type ConnectOptions } from './temporal-client.ts';
export type { HttpConnectOptions } from './http-client.ts';
export { DurascopeError, type DurascopeErrorCode } from './durascope-error.ts';
export type {
  Pipeline,
  PipelineAnswer,
  PipelineOptions,
  Pipelines,
  PipelineStatus,
  PipelineSummary,
} from './pipelines.ts';
export type { Schedule, ScheduleOptions, ScheduleRun, Schedules, ScheduleSummary } from './schedules.ts';
export type { FlowFailure } from '../core/flow.ts';
export type { Flow, Predicate } from '../schema/flow.ts';
export type { TaskState, TaskView } from '../core/plan.ts';
export type { MemberView, TeamView } from '../team/team-view.ts';
export type {
  AnswerOptions,
  Durascope,
  EventOptions,
  Health,
  Input,
  PendingCall,
  Reply,
  Session,
  ServiceLoad,
  SessionAddress,
  SessionDetails,
  SessionFilter,
  SessionSummary,
  SubmitOptions,
  Turn,
  TurnDetails,
} from './client.ts';
