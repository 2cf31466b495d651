import type { z } from 'zod';
import { ScheduleList } from '../../schema/api-answers.ts';
import { defineRoute } from '../route.ts';

const most = 200;

const listSchedules = defineRoute({
  name: 'listSchedules',
  method: 'get',
  path: '/v1/schedules',
  summary: 'Agents that run at set times: the first 200 schedules',
  scope: 'read',
  status: 200,
  answer: ScheduleList,
  async handle({ owner }, { schedules }) {
    const items: z.input<typeof ScheduleList>['items'] = [];
    if (!schedules) return { items, isWhole: true };
    for await (const schedule of schedules.list(owner)) {
      if (items.length === most) return { items, isWhole: false };
      items.push(schedule);
    }
    return { items, isWhole: true };
  },
});

export const scheduleRoutes = [listSchedules];
