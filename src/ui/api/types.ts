import type { z } from 'zod';
import type * as answers from '../../schema/api-answers.ts';

export type { Gate, SessionView } from '../../react/index.ts';
export type SessionSummary = z.output<typeof answers.SessionSummary>;
export type TurnSummary = z.output<typeof answers.TurnSummary>;
export type AgentView = z.output<typeof answers.AgentView>;
export type AuditEntry = z.output<typeof answers.AuditEntry>;
export type HealthView = z.output<typeof answers.HealthView>;
export type PermissionRule = NonNullable<AuditEntry['rule']>;
export type TeamView = z.output<typeof answers.Team>;
export type DayUsage = z.output<typeof answers.DayUsage>;
export type ServiceView = z.output<typeof answers.ServiceView>;
export type ScheduleList = z.output<typeof answers.ScheduleList>;
export type PipelineList = z.output<typeof answers.PipelineList>;
export type PipelineView = z.output<typeof answers.PipelineView>;
export type Task = z.output<typeof answers.Task>;

export interface Page<T> {
  items: T[];
  nextCursor?: string;
}
