import { z } from 'zod';
import {
  createTask,
  describeTasks,
  findTask,
  mustFindTask,
  taskViews,
  updateTask,
  type Plan,
  type TaskView,
} from '../core/plan.ts';
import { Json } from '../schema/message.ts';
import { defineTool } from '../tools/define-tool.ts';
import type { Tool } from '../tools/tool.ts';
import type { PlanBoard } from './task-source.ts';

const ids = z.array(z.string());
const metadata = z.record(z.string(), Json).optional();
const subject = z.string().trim().min(1).max(200);
const description = z.string().max(4000);
const owner = z.string().max(128);

/**
 * They change nothing but the session's own plan: so to permissions they only read, and every mode lets them through. A repeat of a call
 * finds what the first one did.
 */
const ofPlan = { readOnly: true, idempotent: true, concurrencySafe: false } as const;

const changeable = [
  'status',
  'subject',
  'description',
  'owner',
  'addBlockedBy',
  'addBlocks',
  'removeBlockedBy',
  'removeBlocks',
  'metadata',
];

export function planTools(board: PlanBoard): Tool[] {
  return [
    defineTool({
      ...ofPlan,
      name: 'task_create',
      description:
        'Add a task to your plan. Use a plan for work of three or more steps, and keep it up to date with task_update: in_progress when you begin a task, completed as soon as it is done.',
      input: z.object({
        subject: subject.describe('What is to be done, in a few words'),
        description: description.optional().describe('What is needed to do it, and when it counts as done'),
        blockedBy: ids.optional().describe('Ids of tasks that must be completed first'),
        owner: owner.optional().describe('The member of your team who does it'),
        metadata,
      }),
      async execute(draft, context) {
        const make = (now: Plan) => createTask(now, draft, context.callId).plan;
        const plan = await board.change(context, make, draft.owner);
        const task = plan.tasks.find(({ key }) => key === context.callId);
        return `Created:\n${describeTasks(taskViews(plan).filter(({ id }) => id === task?.id))}`;
      },
    }),
    defineTool({
      ...ofPlan,
      name: 'task_update',
      description:
        'Change a task of your plan: its status, its words, its owner, or what it waits for. A task that is blocked can not be set to in_progress. Delete what is no longer needed.',
      input: z.strictObject({
        taskId: z.string(),
        status: z.enum(['pending', 'in_progress', 'completed', 'deleted']).optional(),
        subject: subject.optional(),
        description: description.optional(),
        owner: owner.optional().describe('An empty text: nobody'),
        addBlockedBy: ids.optional().describe('Ids of tasks that must be completed before this one'),
        addBlocks: ids.optional().describe('Ids of tasks that must wait for this one'),
        removeBlockedBy: ids.optional(),
        removeBlocks: ids.optional(),
        metadata: metadata.describe('Merged key by key; null removes a key'),
      }),
      async execute({ taskId, status, ...change }, context) {
        if (status === undefined && Object.values(change).every((value) => value === undefined))
          throw new RangeError(
            `nothing of task ${taskId} would change: give at least one of ${changeable.join(', ')}`,
          );
        const update = (now: Plan) => {
          // An earlier attempt of this call may have deleted it.
          if (status === 'deleted' && context.attempt > 1 && !findTask(now, taskId)) return now;
          return updateTask(now, taskId, { ...change, state: status });
        };
        const plan = await board.change(context, update, change.owner);
        const task = findTask(plan, taskId);
        return task ? `Updated:\n${describeTasks([task])}` : `Deleted task ${taskId}.`;
      },
    }),
    defineTool({
      ...ofPlan,
      name: 'task_list',
      description:
        'List the tasks of your plan: id, status, subject, owner and what blocks them; and what goes on in the background.',
      input: z.object({}),
      concurrencySafe: true,
      async execute(_, { owner: of, sessionId }) {
        const views = taskViews(await board.read({ owner: of, sessionId }));
        const plan = views.length === 0 ? 'The plan has no tasks.' : describeTasks(views);
        const background = await board.background?.({ owner: of, sessionId });
        return background === undefined ? plan : `${plan}\n\n${background}`;
      },
    }),
    defineTool({
      ...ofPlan,
      name: 'task_get',
      description: 'Read one task of your plan with its description, its metadata and its dependencies.',
      input: z.object({ taskId: z.string() }),
      concurrencySafe: true,
      async execute({ taskId }, { owner: of, sessionId }): Promise<TaskView> {
        return mustFindTask(await board.read({ owner: of, sessionId }), taskId);
      },
    }),
  ];
}
