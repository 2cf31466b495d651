import { defineAgent } from '../../src/agents/define-agent.ts';

const reporter = defineAgent({
  name: 'reporter',
  description: 'Reports',
  model: 'openai/gpt-test',
  instructions: 'You report.',
  maxIterations: 50,
});

/** Its workers do nothing but report. */
export const teamLead = defineAgent({
  name: 'team-lead',
  model: 'openai/gpt-test',
  instructions: 'You are in charge.',
  maxIterations: 50,
  team: { templates: [reporter] },
});
