import type { PermissionMode } from '../core/permission.ts';
import type { SessionRef } from './ids.ts';

/** What each run of a schedule does. */
export interface ScheduledTurnInput {
  owner: string;
  /** The schedule's id. */
  schedule: string;
  agent: string;
  input: string;
  /** The session of every run; absent: each run has one of its own. */
  session?: string;
  permissionMode: PermissionMode;
  /** Who made the schedule. */
  actor?: string;
}

export function scheduleId({ owner, id }: { owner: string; id: string }): string {
  return `schedule/${owner}/${id}`;
}

/** Temporal adds the time of the run to it. */
export function scheduledWorkflowId({ owner, id }: { owner: string; id: string }): string {
  return `scheduled/${owner}/${id}`;
}

/** The session that a run of a schedule speaks in, told by the id of its workflow. */
export function sessionOfRun(
  { owner, schedule, session }: Pick<ScheduledTurnInput, 'owner' | 'schedule' | 'session'>,
  workflowId: string,
): SessionRef {
  const time = workflowId.slice(scheduledWorkflowId({ owner, id: schedule }).length + 1);
  return { owner, sessionId: session ?? `${schedule}.${time.replaceAll(/[^A-Za-z0-9._:@-]/g, '.')}` };
}
