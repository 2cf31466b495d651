import { z } from 'zod';
import { ScheduleList, ScheduleView } from '../../schema/api-answers.ts';
import { Id } from '../../schema/api-requests.ts';
import { Problem } from '../problem.ts';
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

const getSchedule = defineRoute({
  name: 'getSchedule',
  method: 'get',
  path: '/v1/schedules/{scheduleId}',
  summary: 'A schedule, with its recent runs and what they came to',
  scope: 'read',
  params: z.object({ scheduleId: Id }),
  status: 200,
  answer: ScheduleView,
  async handle({ owner, params }, { schedules }) {
    const found = await schedules?.get(owner, params.scheduleId);
    if (!found) throw new Problem('not_found', `There is no schedule ${params.scheduleId}`);
    return found;
  },
});

export const scheduleRoutes = [listSchedules, getSchedule];
