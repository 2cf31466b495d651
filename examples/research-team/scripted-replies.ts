import {
  calls,
  says,
  type Responder,
  type ScriptedCall,
  type ScriptedRequest,
  type Step,
} from 'durascope/testing';

const wire = { fragment: 6, delayMs: 10 };
const tasks: ScriptedCall[] = [
  [
    'agent_create',
    { name: 'sol', template: 'researcher', description: 'Solar power', prompt: 'Look up solar power.' },
  ],
  [
    'agent_create',
    { name: 'will', template: 'researcher', description: 'Wind power', prompt: 'Look up wind power.' },
  ],
  [
    'agent_create',
    { name: 'bea', template: 'buyer', description: 'Energy prices', prompt: 'Buy "energy prices".' },
  ],
];

/** What a model would do in each seat, decided from the conversation alone. */
export const scriptedReplies: Responder = (request): Step => {
  if (request.system.includes('You research'))
    return asWorker(request, 'look_up', { subject: subjectIn(request) });
  if (request.system.includes('You buy')) return asWorker(request, 'buy_report', { title: 'energy prices' });
  return asEditor(request);
};

function asEditor(request: ScriptedRequest): Step {
  if (request.results('team_create').length === 0)
    return calls(
      'team_create',
      { name: 'energy', description: 'Finds out how the town should make its power' },
      { text: 'This is work for a team.', ...wire },
    );
  if (request.results('agent_create').length === 0) return calls(tasks, wire);
  const reports = ['sol', 'will', 'bea'].filter((name) =>
    request.messages.some(
      ({ role, text }) => role === 'user' && text.includes(`<team-message from="${name}">`),
    ),
  );
  if (reports.length < 3)
    return says(
      reports.length === 0
        ? 'Three workers are on it; their reports will reach me.'
        : `I have heard from ${reports.join(' and ')}, and wait for the rest.`,
      wire,
    );
  if (request.results('team_delete').length === 0) return calls('team_delete', {}, wire);
  return says(
    'The town should build the wind turbine. It costs more than twice as much as the panels, but makes four times the power. And most of that comes in winter, when power stays dear, while the price of power in summer falls.',
    wire,
  );
}

function asWorker(request: ScriptedRequest, tool: string, args: Record<string, string>): Step {
  const [found] = request.results(tool);
  if (!found) return calls(tool, args, wire);
  if (request.results('team_say').length === 0)
    return calls('team_say', { content: found.text, to: 'leader' }, wire);
  return says('Reported.', wire);
}

function subjectIn({ messages }: ScriptedRequest): string {
  return messages.some(({ text }) => text.includes('wind power')) ? 'wind power' : 'solar power';
}
