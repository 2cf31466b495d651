import { readFile } from 'node:fs/promises';
import { Argument, type Command } from 'commander';
import type { DurascopeClient, Flow, PipelineSummary } from '../client/index.ts';
import { actorOption, type ActorOptions } from './actor.ts';
import { UsageError } from './command-error.ts';
import { defineCommand, flagsOf, type CommonOptions } from './define-command.ts';
import { withClient } from './open-client.ts';
import { notice, printJson, printLines } from './output.ts';
import { oneLine, printable, table } from './text.ts';

const actions = ['start', 'list', 'show', 'cancel'] as const;
type Action = (typeof actions)[number];

interface PipelineFlags extends CommonOptions, Pick<ActorOptions, 'actor'> {
  flow?: string;
  input?: string;
}

export function pipelineCommand(): Command {
  return defineCommand(
    'pipeline',
    'run several agents in an order that you set: start, list, show, cancel',
    'durascope pipeline start whales --flow whales.json --input "Whales"\ndurascope pipeline show whales',
  )
    .addArgument(new Argument('<action>', 'what to do').choices(actions))
    .argument('[id]', 'of the pipeline; show and cancel need it, a new one gets one of its own')
    .optionsGroup('To start:')
    .option('--flow <file>', 'JSON, as the guide of orchestration has it')
    .option('--input <text>', 'what is to be done')
    .addOption(actorOption('who asks'))
    .action(pipeline);
}

async function pipeline(action: Action, id: string | undefined, options: PipelineFlags): Promise<void> {
  if (id === undefined && (action === 'show' || action === 'cancel'))
    throw new UsageError('name the pipeline: "durascope pipeline list" lists them');
  await withClient(flagsOf(options), async ({ pipelines }, { owner }) => {
    if (action === 'start') return start(pipelines, owner, id, options);
    if (action === 'list' || id === undefined) return list(pipelines, owner, options);
    const found = pipelines.get(owner, id);
    const status = await found.status();
    if (action === 'cancel') {
      await found.cancel();
      return options.json ? printJson({ id, done: 'cancel' }) : printLines([`${id}: told to end`]);
    }
    tell({ id, ...(status.state === 'running' ? status : await found.result()) }, options);
  });
}

async function start(
  pipelines: DurascopeClient['pipelines'],
  owner: string,
  id: string | undefined,
  { flow: file, input, actor, json }: PipelineFlags,
): Promise<void> {
  if (file === undefined) throw new UsageError('name the file that holds the flow: --flow FILE');
  if (input === undefined) throw new UsageError('say what is to be done: --input "…"');
  const flow = await readFlow(file);
  const started = await pipelines.start({ owner, flow, input, actor, ...(id === undefined ? {} : { id }) });
  if (json) printJson({ id: started.id });
  else printLines([`${started.id}: started`]);
}

/** The client says what does not fit. */
async function readFlow(file: string): Promise<Flow> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Flow;
  } catch (cause) {
    throw new UsageError(`${file} can't be read as JSON: ${cause instanceof Error ? cause.message : ''}`);
  }
}

async function list(
  pipelines: DurascopeClient['pipelines'],
  owner: string,
  { json }: PipelineFlags,
): Promise<void> {
  const all: PipelineSummary[] = [];
  for await (const one of pipelines.list(owner)) all.push(one);
  if (json) return printJson({ pipelines: all });
  if (all.length === 0) return notice(`owner ${owner} has no pipelines`);
  const rows = all.map(({ id, state, startedAt }) => [printable(id), state, startedAt]);
  printLines(table(['PIPELINE', 'STATE', 'STARTED'], rows));
}

interface Shown {
  id: string;
  state: string;
  turns?: number;
  running?: number;
  text?: string;
  error?: string;
  failures?: { place: string; message: string }[];
}

function tell(shown: Shown, { json }: PipelineFlags): void {
  if (json) return printJson(shown);
  const { id, state, turns, running, text = '', error, failures = [] } = shown;
  printLines([
    `${id} · ${state}${turns === undefined ? '' : ` · turns: ${turns} done`}${running === undefined ? '' : `, ${running} run now`}`,
    ...(error === undefined ? [] : [`  ${oneLine(error, 500)}`]),
    ...failures.map(({ place, message }) => `  failed ${place}: ${oneLine(message, 200)}`),
    ...(text === '' ? [] : ['', printable(text)]),
  ]);
}
