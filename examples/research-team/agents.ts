import { defineAgent, defineTool } from 'durascope';
import { z } from 'zod';
import { buyReport, lookUp } from './library.ts';

const model = process.env['DURASCOPE_DEMO_MODEL'] ?? 'openai/gpt-5-mini';

const researcher = defineAgent({
  name: 'researcher',
  description: 'Looks a subject up on the shelf and sums it up',
  model,
  instructions: 'You research one subject with look_up. Report the facts in one or two sentences.',
  tools: [
    defineTool({
      name: 'look_up',
      description: 'Reads what the shelf has on a subject, such as "solar power" or "wind power"',
      input: z.object({ subject: z.string() }),
      readOnly: true,
      execute: ({ subject }) => lookUp(subject),
    }),
  ],
});

const buyer = defineAgent({
  name: 'buyer',
  description: 'Buys a report that costs money, such as "energy prices", once a person has approved it',
  model,
  instructions:
    'You buy the report that you are asked for with buy_report, and report what it says in one sentence.',
  tools: [
    defineTool({
      name: 'buy_report',
      description: 'Buys a report, such as "energy prices". It costs money',
      input: z.object({ title: z.string() }),
      permission: 'ask',
      idempotent: true,
      execute: ({ title }) => buyReport(title),
    }),
  ],
});

export const editor = defineAgent({
  name: 'editor',
  model,
  instructions: [
    'You answer questions with a team.',
    'Create a team, then three workers at once: a researcher for solar power, a researcher for wind power, and a buyer for the report "energy prices". Then end your turn: their reports reach you by themselves.',
    'While a report is missing, say in one short sentence what you have, and end your turn.',
    'Once all three have reported, end the team with team_delete, and answer the question in three plain sentences.',
  ].join('\n'),
  team: { templates: [researcher, buyer], maxMembers: 3 },
});
