// Workflow code of the peer: the agent of support/agents.ts, as its documentation writes it.
const { Agent } = require('@openai/agents-core');
const { activityAsTool, TemporalOpenAIRunner } = require('@temporalio/openai-agents/workflow');

const number = { type: 'number' };
const lookup = activityAsTool(
  {
    name: 'lookup',
    description: 'Looks a number up',
    parameters: {
      type: 'object',
      properties: { n: number, bytes: number },
      required: ['n', 'bytes'],
      additionalProperties: false,
    },
  },
  { startToCloseTimeout: '1m' },
);

exports.peerTurn = async function peerTurn(script) {
  const agent = new Agent({
    name: 'wide',
    instructions: 'You look numbers up.',
    model: 'scripted',
    tools: [lookup],
  });
  const runner = new TemporalOpenAIRunner();
  const result = await runner.run(agent, JSON.stringify(script), { maxTurns: script.steps + 2 });
  return result.finalOutput ?? '';
};
