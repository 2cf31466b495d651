import { z } from 'zod';
import type { Schedules } from '../../client/schedules.ts';
import { Id } from '../../schema/api-requests.ts';
import { Problem } from '../problem.ts';
import { defineRoute, type Route } from '../route.ts';

const path = '/v1/schedules/{scheduleId}';

type Change = (
  schedules: Omit<Schedules, 'create'>,
  of: { owner: string; id: string; by: string },
) => Promise<void>;

function changing(spec: Pick<Route, 'name' | 'method' | 'path' | 'summary'>, change: Change): Route {
  return defineRoute({
    ...spec,
    scope: 'run',
    params: z.object({ scheduleId: Id }),
    status: 204,
    async handle({ owner, principal, params }, { schedules }) {
      if (!schedules) throw new Problem('not_found', 'This server has no schedules');
      await change(schedules, { owner, id: params.scheduleId, by: principal.id });
      return undefined;
    },
  });
}

export const scheduleChangeRoutes = [
  changing(
    {
      name: 'pauseSchedule',
      method: 'post',
      path: `${path}/pause`,
      summary: 'No more runs until it is resumed; what runs is left alone',
    },
    (schedules, { owner, id, by }) => schedules.pause(owner, id, `paused by ${by}`),
  ),
  changing(
    {
      name: 'resumeSchedule',
      method: 'post',
      path: `${path}/resume`,
      summary: 'Let a paused schedule go on',
    },
    (schedules, { owner, id, by }) => schedules.unpause(owner, id, `resumed by ${by}`),
  ),
  changing(
    {
      name: 'triggerSchedule',
      method: 'post',
      path: `${path}/trigger`,
      summary: 'Run it now, paused or not, by its overlap policy',
    },
    (schedules, { owner, id }) => schedules.trigger(owner, id),
  ),
  changing(
    {
      name: 'deleteSchedule',
      method: 'delete',
      path,
      summary: 'Delete a schedule. Its sessions stay, and a turn that runs goes on',
    },
    (schedules, { owner, id }) => schedules.delete(owner, id),
  ),
];
