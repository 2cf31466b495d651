import {
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
  type ScheduleDescription,
  type ScheduleHandle,
  type ScheduleOptions as TemporalScheduleOptions,
} from '@temporalio/client';
import type { z } from 'zod';
import { idRule, isValidId } from '../contracts/ids.ts';
import { scheduledWorkflowId, scheduleId, type ScheduledTurnInput } from '../contracts/schedules.ts';
import { ScheduleSpec } from '../schema/schedule.ts';
import { callTemporal } from './call-temporal.ts';
import { DurascopeError } from './durascope-error.ts';
import type { Schedule, ScheduleOptions, Schedules, ScheduleSummary } from './schedules.ts';
import { toRun } from './schedule-runs.ts';
import type { ClientContext } from './temporal-client.ts';

const policies = {
  skip: ScheduleOverlapPolicy.SKIP,
  buffer_one: ScheduleOverlapPolicy.BUFFER_ONE,
  buffer_all: ScheduleOverlapPolicy.BUFFER_ALL,
  cancel_other: ScheduleOverlapPolicy.CANCEL_OTHER,
  terminate_other: ScheduleOverlapPolicy.TERMINATE_OTHER,
  allow_all: ScheduleOverlapPolicy.ALLOW_ALL,
} as const;

/** What Temporal keeps in a form of its own, as it was written. */
interface Memo {
  agent: string;
  session?: string;
  cron?: string[];
  everyMs?: number;
  timezone?: string;
  overlap: Schedule['overlap'];
  catchUpMs: number;
}

/** A schedule's id is part of the ids of its sessions, with the time of the run. */
const maxIdLength = 90;

export class TemporalSchedules implements Schedules {
  readonly #context: ClientContext;

  constructor(context: ClientContext) {
    this.#context = context;
  }

  async create({ owner, id, ...written }: ScheduleOptions): Promise<Schedule> {
    const spec = checked(owner, id, written);
    try {
      await callTemporal(this.#context, () =>
        this.#context.temporal.schedule.create(this.#toTemporal(owner, id, spec)),
      );
    } catch (error) {
      throw creationError(id, error);
    }
    return this.#mustGet(owner, id);
  }

  async *list(owner: string): AsyncGenerator<ScheduleSummary, void, void> {
    if (!isValidId(owner)) throw invalid(`owner ${JSON.stringify(owner)} is not valid: ${idRule}`);
    const prefix = scheduleId({ owner, id: '' });
    const query = `ScheduleId STARTS_WITH "${prefix}"`;
    for await (const { scheduleId: name, memo, state, info } of this.#context.temporal.schedule.list({
      query,
    })) {
      const written = memo as unknown as Memo;
      const id = name.slice(prefix.length);
      const last = info?.recentActions.at(-1);
      yield {
        ...summary(id, written, state, info?.nextActionTimes),
        ...(last ? { lastRun: await toRun(this.#context, { ...written, owner, schedule: id }, last) } : {}),
      };
    }
  }

  async get(owner: string, id: string): Promise<Schedule | undefined> {
    try {
      const description = await callTemporal(this.#context, () => this.#handle(owner, id).describe());
      return await this.#toSchedule(owner, id, description);
    } catch (error) {
      if (error instanceof ScheduleNotFoundError) return undefined;
      throw error;
    }
  }

  async pause(owner: string, id: string, note?: string): Promise<void> {
    await this.#act(owner, id, (handle) => handle.pause(note ?? 'paused'));
  }

  async unpause(owner: string, id: string, note?: string): Promise<void> {
    await this.#act(owner, id, (handle) => handle.unpause(note ?? 'goes on'));
  }

  async trigger(owner: string, id: string): Promise<void> {
    const { overlap } = await this.#mustGet(owner, id);
    // Left out, Temporal would run it beside whatever runs.
    await this.#act(owner, id, (handle) => handle.trigger(policies[overlap]));
  }

  async delete(owner: string, id: string): Promise<void> {
    await this.#act(owner, id, (handle) => handle.delete());
  }

  async #toSchedule(owner: string, id: string, description: ScheduleDescription): Promise<Schedule> {
    const { action, info, state, memo } = description;
    const [turn] = (action.type === 'startWorkflow' ? action.args : []) as unknown as [ScheduledTurnInput];
    const written = memo as unknown as Memo;
    const recentRuns = await Promise.all(info.recentActions.map((one) => toRun(this.#context, turn, one)));
    const lastRun = recentRuns.at(-1);
    return {
      owner,
      ...summary(id, written, state, info.nextActionTimes),
      ...(lastRun ? { lastRun } : {}),
      input: turn.input,
      ...(written.timezone === undefined ? {} : { timezone: written.timezone }),
      ...(turn.session === undefined ? {} : { session: turn.session }),
      permissionMode: turn.permissionMode,
      ...(turn.actor === undefined ? {} : { actor: turn.actor }),
      overlap: written.overlap,
      catchUpMs: written.catchUpMs,
      recentRuns,
      counts: {
        runs: info.numActionsTaken,
        leftOutByOverlap: info.numActionsSkippedOverlap,
        leftOutAsMissed: info.numActionsMissedCatchupWindow,
      },
    };
  }

  #handle(owner: string, id: string) {
    return this.#context.temporal.schedule.getHandle(scheduleId({ owner, id }));
  }

  async #act(owner: string, id: string, act: (handle: ScheduleHandle) => Promise<unknown>): Promise<void> {
    try {
      await callTemporal(this.#context, () => act(this.#handle(owner, id)));
    } catch (error) {
      if (error instanceof ScheduleNotFoundError) throw notFound(owner, id);
      throw error;
    }
  }

  async #mustGet(owner: string, id: string): Promise<Schedule> {
    const schedule = await this.get(owner, id);
    if (!schedule) throw notFound(owner, id);
    return schedule;
  }

  #toTemporal(owner: string, id: string, spec: Spec): TemporalScheduleOptions {
    const { agent, input, session, permissionMode, actor } = spec;
    const { cron, everyMs, timezone, overlap, catchUpMs, jitterMs } = spec;
    const turn: ScheduledTurnInput = {
      owner,
      schedule: id,
      agent,
      input,
      permissionMode,
      ...(session === undefined ? {} : { session }),
      ...(actor === undefined ? {} : { actor }),
    };
    const crons = cron === undefined ? undefined : [cron].flat();
    const memo: Memo = {
      agent,
      ...(session === undefined ? {} : { session }),
      overlap,
      catchUpMs,
      ...(crons ? { cron: crons } : {}),
      ...(everyMs === undefined ? {} : { everyMs }),
      ...(timezone === undefined ? {} : { timezone }),
    };
    return {
      scheduleId: scheduleId({ owner, id }),
      spec: {
        ...(crons ? { cronExpressions: crons } : {}),
        ...(everyMs === undefined ? {} : { intervals: [{ every: everyMs }] }),
        ...(timezone === undefined ? {} : { timezone }),
        ...(jitterMs === undefined ? {} : { jitter: jitterMs }),
        ...(spec.startAt === undefined ? {} : { startAt: new Date(spec.startAt) }),
        ...(spec.endAt === undefined ? {} : { endAt: new Date(spec.endAt) }),
      },
      action: {
        type: 'startWorkflow',
        workflowType: 'scheduledTurn',
        workflowId: scheduledWorkflowId({ owner, id }),
        taskQueue: this.#context.taskQueue,
        args: [turn],
        staticSummary: `${agent} · schedule ${id} of ${owner}`,
      },
      policies: { overlap: policies[overlap], catchupWindow: catchUpMs },
      state: {
        paused: spec.isPaused,
        ...(spec.note === undefined ? {} : { note: spec.note }),
        ...(spec.maxRuns === undefined ? {} : { remainingActions: spec.maxRuns }),
      },
      memo: { ...memo },
    };
  }
}

type Spec = z.output<typeof ScheduleSpec>;

function summary(
  id: string,
  { agent, cron, everyMs }: Memo,
  { paused, note }: { paused: boolean; note?: string | undefined },
  next: readonly Date[] = [],
): ScheduleSummary {
  return {
    id,
    agent,
    ...(cron ? { cron } : {}),
    ...(everyMs === undefined ? {} : { everyMs }),
    isPaused: paused,
    ...(note === undefined ? {} : { note }),
    nextRuns: paused ? [] : next.map((time) => time.toISOString()),
  };
}

function checked(owner: string, id: string, written: object): Spec {
  if (!isValidId(owner)) throw invalid(`owner ${JSON.stringify(owner)} is not valid: ${idRule}`);
  if (!isValidId(id) || id.length > maxIdLength)
    throw invalid(`id ${JSON.stringify(id)} is not valid: ${idRule}, and at most ${maxIdLength} of them`);
  const given = Object.entries(written).filter(([, value]) => value !== undefined);
  const parsed = ScheduleSpec.safeParse(Object.fromEntries(given));
  if (!parsed.success)
    throw invalid(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
  const { agent, session } = parsed.data;
  if (!isValidId(agent)) throw invalid(`agent ${JSON.stringify(agent)} is not valid: ${idRule}`);
  if (session !== undefined && !isValidId(session))
    throw invalid(`session ${JSON.stringify(session)} is not valid: ${idRule}`);
  return parsed.data;
}

/** The SDK throws for some expressions, the server refuses others. */
function creationError(id: string, error: unknown): unknown {
  if (error instanceof ScheduleAlreadyRunning)
    return new DurascopeError('conflict', `There is a schedule ${id}: delete it first, or take another id`, {
      cause: error,
    });
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const isRefused = error instanceof TypeError || /INVALID_ARGUMENT/.test(String(cause));
  const why = cause instanceof Error ? cause.message : String(cause);
  return isRefused ? invalid(`Temporal does not take the schedule: ${why}`, error) : error;
}

function notFound(owner: string, id: string): DurascopeError {
  return new DurascopeError('not_found', `There is no schedule ${id} of ${owner}`);
}

function invalid(message: string, cause?: unknown): DurascopeError {
  return new DurascopeError('invalid_input', message, { cause });
}
