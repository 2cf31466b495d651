// `npm run example:coder`: an agent that writes a program in a sandboxed folder, tests it, and mends it.
import type { Session } from 'durascope/client';
import { Gates } from '../stage/gates.ts';
import { openStage } from '../stage/open-stage.ts';
import { runExample, type Play } from '../stage/run-example.ts';
import { eventPrinter } from '../stage/show-event.ts';
import { scriptedReplies } from './scripted-replies.ts';

const task = 'Write a function that makes an address out of a title (a "slug"), with tests, and try it.';

await runExample(
  {
    script: 'example:coder',
    approves: 'by itself what is asked for',
    keeps: 'workspaces, transcripts and the state of Temporal',
    folder: '.durascope/coder',
    onInterrupt: (folder) => `All is kept in ${folder}.`,
  },
  example,
);

async function example(play: Play): Promise<number> {
  const { terminal, folder } = play;
  terminal.line('Durascope: an agent with a workspace\n');
  process.env['CODER_DIR'] = folder;
  const { temporal, durascope, modelName } = await openStage(play, {
    taskQueue: 'coder',
    replies: scriptedReplies,
    loadAgent: async () => (await import('./agent.ts')).coder,
  });
  const { files, isSandboxed } = await import('./agent.ts');
  terminal.line(`  Temporal   ${temporal.address}, ${temporal.uiUrl ?? 'named by TEMPORAL_ADDRESS'}`);
  terminal.line(`  Model      ${modelName}`);
  terminal.line(
    `  Commands   ${isSandboxed ? 'in Bubblewrap, without network' : 'as this user: there is no bwrap'}`,
  );
  terminal.line(`\nTask: ${task}\n`);

  const ref = { owner: 'demo', sessionId: `slug-${Date.now().toString(36)}` };
  const session = durascope.session({ owner: ref.owner, id: ref.sessionId, agent: 'coder' });
  const finishReason = await follow(play, session, new Gates(play, session, temporal));
  const kept = await (await files.snapshots(ref)).list();
  terminal.stage(
    `Snapshots of the workspace: ${kept.map(({ id }) => `before turn ${id}`).join(', ') || 'none'}`,
  );
  return finishReason === 'model_stop' ? 0 : 1;
}

async function follow({ terminal }: Play, session: Session, gates: Gates): Promise<string | undefined> {
  const turn = await session.submit(task);
  const print = eventPrinter(terminal);
  for await (const event of turn.events()) {
    print(event);
    gates.see(event);
  }
  return (await turn.result({ until: 'end' })).finishReason;
}
