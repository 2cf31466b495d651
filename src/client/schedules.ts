import type { PermissionMode } from '../core/permission.ts';
import type { ScheduleSpec } from '../schema/schedule.ts';

/** Turns of agents at set times, by Temporal's schedules. */
export interface Schedules {
  /**
   * Makes a schedule. Its runs are unattended: by default what would be asked is denied.
   *
   * @throws DurascopeError `invalid_input` naming the field, `conflict` when there is one of this id.
   * @example await durascope.schedules.create({ owner: 'acme', id: 'morning', agent: 'reporter', input: 'Sum up', cron: '0 8 * * *' });
   */
  create(options: ScheduleOptions): Promise<Schedule>;
  /** All of the owner's, page by page underneath. */
  list(owner: string): AsyncIterable<ScheduleSummary>;
  get(owner: string, id: string): Promise<Schedule | undefined>;
  /** No more runs until it goes on; what runs is left alone. @throws DurascopeError `not_found`, as the next three. */
  pause(owner: string, id: string, note?: string): Promise<void>;
  unpause(owner: string, id: string, note?: string): Promise<void>;
  /** Runs it now, paused or not, by its overlap policy. */
  trigger(owner: string, id: string): Promise<void>;
  /** Its sessions stay, and a turn that runs goes on. */
  delete(owner: string, id: string): Promise<void>;
}

export type ScheduleOptions = ScheduleSpec & { owner: string; id: string };

export interface ScheduleSummary {
  id: string;
  agent: string;
  cron?: string[];
  everyMs?: number;
  isPaused: boolean;
  note?: string;
  /** ISO times, soonest first. */
  nextRuns: string[];
  lastRun?: ScheduleRun;
}

export interface Schedule extends ScheduleSummary {
  owner: string;
  input: string;
  timezone?: string;
  session?: string;
  permissionMode: PermissionMode;
  /** Who made it, where that is known. */
  actor?: string;
  overlap: NonNullable<ScheduleSpec['overlap']>;
  catchUpMs: number;
  /** The newest last. */
  recentRuns: ScheduleRun[];
  counts: { runs: number; leftOutByOverlap: number; leftOutAsMissed: number };
}

export interface ScheduleRun {
  at: string;
  sessionId: string;
  /** In Temporal: `scheduled/…`. Runs within one second have the same. */
  workflowId: string;
  runId: string;
  /** `unknown`: Temporal does not keep it any more. */
  state: 'running' | 'done' | 'failed' | 'cancelled' | 'unknown';
  /** Why it failed. */
  error?: string;
}
