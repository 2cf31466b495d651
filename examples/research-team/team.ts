// `npm run example:team`: a leader with three workers, one of whom needs a person.
import type { Session } from 'durascope/client';
import { Gates } from '../stage/gates.ts';
import { openStage } from '../stage/open-stage.ts';
import { runExample, type Play } from '../stage/run-example.ts';
import { scriptedReplies } from './scripted-replies.ts';
import { showEvent } from './show-event.ts';

const question = 'Our town of 2,000 people wants power of its own: solar panels, or a wind turbine?';

await runExample(
  {
    script: 'example:team',
    approves: 'the purchase by itself',
    keeps: 'the state of Temporal and the transcripts',
    folder: '.durascope/team',
    onInterrupt: (folder) => `The team is kept in ${folder}.`,
  },
  example,
);

async function example(play: Play): Promise<number> {
  const { terminal } = play;
  terminal.line('Durascope: a leader and its team');
  terminal.line();
  const { temporal, durascope, modelName } = await openStage(play, {
    taskQueue: 'research-team',
    replies: scriptedReplies,
    loadAgent: async () => (await import('./agents.ts')).editor,
  });
  terminal.line(`  Temporal   ${temporal.address}, ${temporal.uiUrl ?? 'named by TEMPORAL_ADDRESS'}`);
  terminal.line(`  Model      ${modelName}`);
  terminal.line(`\nQuestion: ${question}\n`);
  const session = durascope.session({
    owner: 'demo',
    id: `energy-${Date.now().toString(36)}`,
    agent: 'editor',
  });
  await session.submit(question);
  const isAnswered = await follow(play, session, new Gates(play, session, temporal));
  terminal.stage('Who was there, in Temporal and in the store:');
  for (const { ref } of (await durascope.sessions('demo', { parent: session.id })).items)
    terminal.line(`  session/demo/${ref.sessionId}`);
  return isAnswered ? 0 : 1;
}

/** Shows the leader's log, and answers there what its workers ask. Ends with the turn in which the leader ended its team. */
async function follow({ terminal }: Play, session: Session, gates: Gates): Promise<boolean> {
  let isTeamEnded = false;
  for await (const event of session.events()) {
    showEvent(terminal, event);
    gates.see(event);
    if (event.kind === 'team_changed') isTeamEnded ||= event.change === 'deleted';
    if (event.kind === 'turn_end' && !event.path && (isTeamEnded || event.error))
      return event.finishReason === 'model_stop';
  }
  return false;
}
