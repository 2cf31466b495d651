import { z } from 'zod';
import { UsageList } from '../../schema/api-answers.ts';
import { Day } from '../../schema/api-requests.ts';
import { Problem } from '../problem.ts';
import { defineRoute } from '../route.ts';

const longestDays = 400;
const dayMs = 86_400_000;

const listUsage = defineRoute({
  name: 'listUsage',
  method: 'get',
  path: '/v1/usage',
  summary: 'Turns, tokens and cost by day (UTC) and agent; without days those of the last thirty',
  scope: 'read',
  query: z.strictObject({ from: Day.exactOptional(), to: Day.exactOptional() }),
  status: 200,
  answer: UsageList,
  async handle({ owner, query }, { client, limits }) {
    const to = query.to ?? new Date().toISOString().slice(0, 10);
    const from = query.from ?? new Date(Date.parse(to) - 29 * dayMs).toISOString().slice(0, 10);
    if (Date.parse(to) - Date.parse(from) > longestDays * dayMs)
      throw new Problem('invalid_page', `From ${from} to ${to} are more than ${longestDays} days`);
    const days = await client.usage(owner, { from, to });
    return {
      items: days.map((day) => {
        const cost = limits.costOf(day.agent, day.usage);
        return { ...day, ...(cost === undefined ? {} : { cost }) };
      }),
    };
  },
});

export const usageRoutes = [listUsage];
