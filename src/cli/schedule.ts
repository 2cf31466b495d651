import { Argument, type Command } from 'commander';
import type { DurascopeClient, Schedule, ScheduleOptions, ScheduleSummary } from '../client/index.ts';
import { actorOption, type ActorOptions } from './actor.ts';
import { CommandError, UsageError } from './command-error.ts';
import { defineCommand, flagsOf, type CommonOptions } from './define-command.ts';
import { withClient } from './open-client.ts';
import { duration, wholeNumber } from './option-parsers.ts';
import { notice, printJson, printLines } from './output.ts';
import { oneLine, printable, table } from './text.ts';

const actions = ['create', 'list', 'show', 'pause', 'unpause', 'trigger', 'delete'] as const;
type Action = (typeof actions)[number];

interface ScheduleFlags extends CommonOptions, Pick<ActorOptions, 'actor'> {
  agent?: string;
  input?: string;
  cron?: string[];
  every?: number;
  timezone?: string;
  session?: string;
  mode?: ScheduleOptions['permissionMode'];
  overlap?: ScheduleOptions['overlap'];
  catchUp?: number;
  maxRuns?: number;
  paused?: boolean;
  note?: string;
}

export function scheduleCommand(): Command {
  return defineCommand(
    'schedule',
    'run agents at set times: create, list, show, pause, unpause, trigger, delete',
    'durascope schedule create morning --agent reporter --input "Sum up" --cron "0 8 * * 1-5"\n' +
      'durascope schedule trigger morning',
  )
    .addArgument(new Argument('<action>', 'what to do').choices(actions))
    .argument('[id]', 'of the schedule; all but list need it')
    .optionsGroup('To create:')
    .option('--agent <name>', 'that takes the turns')
    .option('--input <text>', 'what it is told each time')
    .option('--cron <expression...>', 'five fields, or @daily and its like')
    .option('--every <duration>', 'such as 30s, 15m, 6h or 2d', duration)
    .option('--timezone <name>', 'of the cron expressions; default: UTC')
    .option('--session <id>', 'one session for all runs; default: each run has its own')
    .option('--mode <mode>', 'permission mode of its sessions; default: dont_ask')
    .option('--overlap <policy>', 'while the last turn has not ended; default: skip')
    .option('--catch-up <duration>', 'how late a missed run may be; default: 5m', duration)
    .option('--max-runs <n>', 'it ends after so many', wholeNumber(1, 1_000_000))
    .addOption(actorOption('who makes it, and so asks for what its turns do'))
    .option('--paused', 'create it paused')
    .option('--note <text>', 'for people: why it is paused')
    .action(schedule);
}

async function schedule(action: Action, id: string | undefined, options: ScheduleFlags): Promise<void> {
  if (action !== 'list' && id === undefined)
    throw new UsageError(`name the schedule: "durascope schedule list" lists them`);
  await withClient(flagsOf(options), (client, { owner }) =>
    action === 'list' || id === undefined
      ? list(client, owner, options)
      : act(client, { action, owner, id }, options),
  );
}

async function act(
  { schedules }: DurascopeClient,
  { action, owner, id }: { action: Exclude<Action, 'list'>; owner: string; id: string },
  options: ScheduleFlags,
): Promise<void> {
  switch (action) {
    case 'create':
      return tell(await schedules.create(toOptions(owner, id, options)), options);
    case 'show': {
      const found = await schedules.get(owner, id);
      if (!found) throw new CommandError('not_found', `there is no schedule ${id} of ${owner}`);
      return tell(found, options);
    }
    case 'delete':
      await schedules.delete(owner, id);
      break;
    case 'trigger':
      await schedules.trigger(owner, id);
      break;
    default:
      await schedules[action](owner, id, options.note);
  }
  if (options.json) printJson({ id, done: action });
  else printLines([`${id}: ${done[action]}`]);
}

const done = {
  pause: 'paused',
  unpause: 'goes on',
  trigger: 'runs now, by its overlap policy',
  delete: 'deleted; its sessions stay',
};

async function list({ schedules }: DurascopeClient, owner: string, options: ScheduleFlags): Promise<void> {
  const all: ScheduleSummary[] = [];
  for await (const one of schedules.list(owner)) all.push(one);
  if (options.json) return printJson({ schedules: all });
  if (all.length === 0) return notice(`owner ${owner} has no schedules`);
  printLines(
    table(
      ['SCHEDULE', 'AGENT', 'WHEN', 'NEXT', 'LAST', 'NOTE'],
      all.map((one) => [
        one.id,
        one.agent,
        whenOf(one),
        one.isPaused ? 'paused' : (one.nextRuns[0] ?? '-'),
        one.lastRun?.state ?? '-',
        oneLine(one.note ?? '', 40),
      ]),
    ),
  );
}

function tell(found: Schedule, { json }: ScheduleFlags): void {
  if (json) printJson(found);
  else printLines(renderSchedule(found));
}

export function renderSchedule(found: Schedule): string[] {
  return [
    `${found.id} · ${found.agent} · ${whenOf(found)}${found.isPaused ? ' · paused' : ''}`,
    `  says      ${oneLine(found.input, 100)}`,
    `  session   ${found.session ?? 'a new one each time'} · mode ${found.permissionMode}`,
    `  overlap   ${found.overlap} · catches up for ${found.catchUpMs / 1000} s`,
    ...(found.note ? [`  note      ${printable(found.note)}`] : []),
    ...(found.nextRuns[0] === undefined ? [] : [`  next      ${found.nextRuns.slice(0, 3).join(', ')}`]),
    `  so far    ${found.counts.runs} runs, ${found.counts.leftOutByOverlap} left out by overlap, ${found.counts.leftOutAsMissed} missed`,
    ...found.recentRuns.map(
      ({ at, sessionId, state, error }) =>
        `  ran       ${at} in ${sessionId}: ${state}${error === undefined ? '' : `, ${oneLine(error, 200)}`}`,
    ),
  ];
}

function whenOf({ cron = [], everyMs }: ScheduleSummary): string {
  const every = everyMs === undefined ? [] : [`every ${everyMs / 1000} s`];
  return printable([...cron, ...every].join(', '));
}

function toOptions(owner: string, id: string, flags: ScheduleFlags): ScheduleOptions {
  const { agent, input, cron, every, timezone, session, mode, actor } = flags;
  const { overlap, catchUp, maxRuns, paused, note } = flags;
  if (agent === undefined) throw new UsageError('name the agent that takes the turns: --agent NAME');
  if (input === undefined) throw new UsageError('say what it is told each time: --input "…"');
  return {
    owner,
    id,
    agent,
    input,
    actor,
    ...(cron ? { cron } : {}),
    ...(every === undefined ? {} : { everyMs: every }),
    ...(timezone === undefined ? {} : { timezone }),
    ...(session === undefined ? {} : { session }),
    ...(mode ? { permissionMode: mode } : {}),
    ...(overlap ? { overlap } : {}),
    ...(catchUp === undefined ? {} : { catchUpMs: catchUp }),
    ...(maxRuns === undefined ? {} : { maxRuns }),
    ...(paused ? { isPaused: true } : {}),
    ...(note === undefined ? {} : { note }),
  };
}
