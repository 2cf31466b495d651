// `npm run example:coder`: an agent that writes a program in a sandboxed folder, tests it, and mends it.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Session } from 'durascope/client';
import { approve } from '../order-support/stage/approve.ts';
import { eventPrinter } from '../order-support/stage/show-event.ts';
import { Terminal } from '../order-support/stage/terminal.ts';
import { openStage, type Stage } from './stage.ts';

const { values: options } = parseArgs({
  options: {
    yes: { type: 'boolean', default: false },
    dir: { type: 'string', default: '.durascope/coder' },
    help: { type: 'boolean', default: false },
  },
});
const usage = `npm run example:coder -- [--yes] [--dir FOLDER]

  --yes   approves by itself what is asked for
  --dir   keeps workspaces, transcripts and the state of Temporal here (default .durascope/coder)

With OPENAI_API_KEY (or OPENAI_BASE_URL) a real model answers: openai/gpt-5-mini, or what DURASCOPE_DEMO_MODEL names.`;

const task = 'Write a function that makes an address out of a title (a "slug"), with tests, and try it.';
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
  terminal.line('Durascope: an agent with a workspace\n');
  const stage = await openStage(
    resolve(options.dir),
    (line) => terminal.line(`  ${line}`),
    (stop) => stops.push(stop),
  );
  const { files, isSandboxed } = await import('./agent.ts');
  terminal.line(
    `  Temporal   ${stage.temporal.address}, ${stage.temporal.uiUrl ?? 'named by TEMPORAL_ADDRESS'}`,
  );
  terminal.line(`  Model      ${stage.modelName}`);
  terminal.line(
    `  Commands   ${isSandboxed ? 'in Bubblewrap, without network' : 'as this user: there is no bwrap'}`,
  );
  terminal.line(`\nTask: ${task}\n`);

  const ref = { owner: 'demo', sessionId: `slug-${Date.now().toString(36)}` };
  const session = stage.durascope.session({ owner: ref.owner, id: ref.sessionId, agent: 'coder' });
  const finishReason = await follow(stage, session);
  const kept = await (await files.snapshots(ref)).list();
  terminal.stage(
    `Snapshots of the workspace: ${kept.map(({ id }) => `before turn ${id}`).join(', ') || 'none'}`,
  );
  return finishReason === 'model_stop' ? 0 : 1;
}

async function follow({ temporal }: Stage, session: Session): Promise<string | undefined> {
  const turn = await session.submit(task);
  const print = eventPrinter(terminal);
  const gates = new Map<string, AbortController>();
  for await (const event of turn.events()) {
    print(event);
    if (event.kind === 'gate_answered') gates.get(event.callId)?.abort();
    if (event.kind !== 'require_user_confirm') continue;
    for (const call of event.calls) {
      const gate = new AbortController();
      gates.set(call.callId, gate);
      const { signal } = gate;
      // Not awaited, because the answer may come from elsewhere, as an event.
      approve({ session, turnId: turn.id, call, temporal, isAutomatic: options.yes, terminal, signal }).catch(
        (error: unknown) => terminal.line(`  The answer was not taken: ${String(error)}`),
      );
    }
  }
  return (await turn.result({ until: 'end' })).finishReason;
}

async function interrupted(): Promise<void> {
  terminal.line(`\nStopping. All is kept in ${options.dir}.`);
  await stopAll();
  process.exit(130);
}

/** In reverse: what was started last may need what was started before. */
async function stopAll(): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  for (const stop of stops.toReversed()) await stop();
}
