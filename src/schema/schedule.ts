import { z } from 'zod';
import { permissionModes } from './permission-mode.ts';

const overlaps = [
  'skip',
  'buffer_one',
  'buffer_all',
  'cancel_other',
  'terminate_other',
  'allow_all',
] as const;
const text = (example: string) =>
  z.string(`write a text, such as ${example}`).trim().min(1, `write a text, such as ${example}`);
const wholeMs = (least: number) => z.int('write whole milliseconds').min(least, `write at least ${least}`);
/** Temporal's own errors for a wrong count name neither the option nor what to write. */
const cronRule = "write five fields, such as '0 8 * * 1-5', or @daily and its like";
const cron = z
  .string(cronRule)
  .trim()
  .regex(/^(@\S+( \S+)?|(\S+\s+){4,}\S+)$/, cronRule);
const time = z.iso.datetime({ offset: true, error: "write a time such as '2026-12-01T08:00:00Z'" });

/** A turn of an agent at set times. */
export const ScheduleSpec = z
  .strictObject({
    agent: text("'reporter'"),
    /** What the agent is told each time. */
    input: text("'Sum up what came in since yesterday'").max(16_000, 'write at most 16000 characters'),
    /** Cron expressions of five fields, or `@daily` and its like. */
    cron: z.union([cron, z.array(cron).min(1, cronRule)], cronRule).exactOptional(),
    everyMs: wholeMs(1000).exactOptional(),
    /** Of the cron expressions: an IANA name. Default: UTC. */
    timezone: text("'Europe/Paris'").exactOptional(),
    /** One session for all runs. Default: each run has its own. */
    session: text("'reports'").exactOptional(),
    /** The mode that a session without one gets. */
    permissionMode: z.enum(permissionModes, `write one of ${permissionModes.join(', ')}`).default('dont_ask'),
    /** Who makes it: they ask for what its turns do, as approval policies see it. */
    actor: text("'ann'").max(200, 'write at most 200 characters').exactOptional(),
    /** What happens when a run is due while the last one's turn has not ended. */
    overlap: z.enum(overlaps, `write one of ${overlaps.join(', ')}`).default('skip'),
    /** Runs that were missed by more than this, because Temporal was away, are left out. */
    catchUpMs: wholeMs(10_000).default(300_000),
    /** Each run is put off by a random time up to this. */
    jitterMs: wholeMs(1).exactOptional(),
    startAt: time.exactOptional(),
    endAt: time.exactOptional(),
    /** It ends after so many runs. */
    maxRuns: z.int('write a whole number').min(1, 'write at least 1').exactOptional(),
    isPaused: z.boolean('write true or false').default(false),
    note: z.string('write a text').exactOptional(),
  })
  .refine(({ cron, everyMs }) => cron !== undefined || everyMs !== undefined, {
    message: "write cron, such as '0 8 * * 1-5', or everyMs",
    path: ['cron'],
  });
export type ScheduleSpec = z.input<typeof ScheduleSpec>;
