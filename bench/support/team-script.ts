import { calls, says, type ScriptedRequest, type Step } from '../../src/testing/index.ts';

/** Workers that a leader creates with one model call. */
const workersAtOnce = 20;
/** What each worker reports. */
export const reportsEach = 2;

/** What sessions of teams, and those that get messages, answer; undefined for turns of the other figures. */
export function teamAnswer(request: ScriptedRequest): Step | undefined {
  const { system, messages, lastUserText } = request;
  if (system.includes('You are in charge')) return leaderAnswer(request);
  const me = /You are (\w+), a member/.exec(system)?.[1];
  if (me !== undefined) {
    const sent = request.results('team_say').length;
    return sent < reportsEach
      ? calls('team_say', { content: `Report ${sent + 1} of ${me}.`, to: 'leader' })
      : says('All is reported.');
  }
  return messages.length > 0 && lastUserText.startsWith('<team-message') ? says('Read.') : undefined;
}

/** Its input is the number of workers. */
function leaderAnswer(request: ScriptedRequest): Step {
  const wanted = Number(request.messages[0]?.text);
  const created = request.results('agent_create').length;
  if (request.results('team_create').length === 0)
    return calls('team_create', { name: 'bench', description: 'Reports' });
  // The next ones when something is heard from these, as a leader of many would do it.
  const isWaveOut = request.messages.at(-1)?.toolName === 'agent_create';
  if (isWaveOut || !(created < wanted)) return says('Noted.');
  const names = Array.from(
    { length: Math.min(workersAtOnce, wanted - created) },
    (_, i) => `w${created + i}`,
  );
  return calls(
    names.map(
      (name) =>
        [
          'agent_create',
          { name, template: 'bench-worker', description: 'Reports', prompt: 'Report.' },
        ] as const,
    ),
  );
}
