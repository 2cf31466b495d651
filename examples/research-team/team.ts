// `npm run example:team`: a leader with three workers, one of whom needs a person.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { GateCall } from 'durascope';
import type { Session } from 'durascope/client';
import { approve } from '../order-support/stage/approve.ts';
import { Terminal } from '../order-support/stage/terminal.ts';
import { showEvent } from './show-event.ts';
import { openStage, type Stage } from './stage.ts';

const { values: options } = parseArgs({
  options: {
    yes: { type: 'boolean', default: false },
    dir: { type: 'string', default: '.durascope/team' },
    help: { type: 'boolean', default: false },
  },
});
const usage = `npm run example:team -- [--yes] [--dir FOLDER]

  --yes   approves the purchase by itself
  --dir   keeps the state of Temporal and the transcripts here (default .durascope/team)

With OPENAI_API_KEY (or OPENAI_BASE_URL) a real model answers: openai/gpt-5-mini, or what DURASCOPE_DEMO_MODEL names.`;

const question = 'Our town of 2,000 people wants power of its own: solar panels, or a wind turbine?';
const terminal = new Terminal();
const stops: (() => unknown)[] = [];
let isStopping = false;

if (options.help) console.log(usage);
else await main();

async function main(): Promise<void> {
  process.once('SIGINT', () => void interrupted());
  process.once('SIGTERM', () => void interrupted());
  try {
    process.exitCode = await example();
  } catch (error) {
    if (isStopping) return;
    terminal.line(`\n${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
  await stopAll();
}

async function example(): Promise<number> {
  terminal.line('Durascope: a leader and its team');
  terminal.line();
  const stage = await openStage(
    resolve(options.dir),
    (line) => terminal.line(`  ${line}`),
    (stop) => stops.push(stop),
  );
  const { temporal, durascope } = stage;
  terminal.line(`  Temporal   ${temporal.address}, ${temporal.uiUrl ?? 'named by TEMPORAL_ADDRESS'}`);
  terminal.line(`  Model      ${stage.modelName}`);
  terminal.line(`\nQuestion: ${question}\n`);
  const session = durascope.session({
    owner: 'demo',
    id: `energy-${Date.now().toString(36)}`,
    agent: 'editor',
  });
  await session.submit(question);
  const isAnswered = await follow(stage, session);
  terminal.stage('Who was there, in Temporal and in the store:');
  for (const { ref } of (await durascope.sessions('demo', { parent: session.id })).items)
    terminal.line(`  session/demo/${ref.sessionId}`);
  return isAnswered ? 0 : 1;
}

/** Shows the leader's log, and answers there what its workers ask. Ends with the turn in which the leader ended its team. */
async function follow(stage: Stage, session: Session): Promise<boolean> {
  const gates = new Map<string, AbortController>();
  let isTeamEnded = false;
  for await (const event of session.events()) {
    showEvent(terminal, event);
    switch (event.kind) {
      case 'require_user_confirm':
        for (const call of event.calls) gates.set(call.callId, openGate(stage, session, event.turnId, call));
        break;
      case 'gate_answered':
        gates.get(event.callId)?.abort();
        break;
      case 'team_changed':
        isTeamEnded ||= event.change === 'deleted';
        break;
      case 'turn_end':
        if (!event.path && (isTeamEnded || event.error)) return event.finishReason === 'model_stop';
        break;
      default:
    }
  }
  return false;
}

function openGate({ temporal }: Stage, session: Session, turnId: string, call: GateCall): AbortController {
  const gate = new AbortController();
  // Not awaited, because the answer may come from elsewhere, as an event.
  approve({ session, turnId, call, temporal, isAutomatic: options.yes, terminal, signal: gate.signal }).catch(
    (error: unknown) => terminal.line(`  The answer was not taken: ${String(error)}`),
  );
  return gate;
}

async function interrupted(): Promise<void> {
  terminal.line(`\nStopping. The team is kept in ${options.dir}.`);
  await stopAll();
  process.exit(130);
}

/** In reverse: what was started last may need what was started before. */
async function stopAll(): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  for (const stop of stops.toReversed()) await stop();
}
