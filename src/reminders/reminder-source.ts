import { WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import { z } from 'zod';
import type { SessionRef } from '../contracts/ids.ts';
import type { InboxMessage } from '../contracts/inbox.ts';
import { reminderWorkflowId, type WakeUpInput } from '../contracts/reminders.ts';
import { courierHere } from '../inbox/courier.ts';
import type { Store } from '../store/store.ts';
import { defineTool } from '../tools/define-tool.ts';
import type { Tool } from '../tools/tool.ts';
import type { ToolSource } from '../tools/tool-source.ts';
import { dueTime } from './due-time.ts';
import { addReminder, openReminders, removeReminder } from './reminder-slot.ts';

/** They change nothing but what the session itself is told later: every permission mode lets them through. */
const ofSession = { readOnly: true, idempotent: true, concurrencySafe: false } as const;

/** Tools with which an agent wakes itself up later, on by `defineAgent({ reminders: true })`. */
export function reminderSource(store: Store): ToolSource {
  const tools = reminderTools(store);
  return { name: 'reminders', load: async () => ({ tools }) };
}

function reminderTools(store: Store): Tool[] {
  return [
    defineTool({
      ...ofSession,
      name: 'remind_me_at',
      description:
        'Get a message at a later time, which wakes you up when you are idle. Then end your turn: do not wait or poll. For example to look again at something that takes hours.',
      input: z.object({
        when: z
          .string()
          .describe(
            'An ISO time with its zone, such as 2026-12-01T08:00:00Z, or a delay such as 90s, 15m, 6h or 2d',
          ),
        text: z.string().trim().min(1).max(4000).describe('What you need to know then: what to do, and why'),
      }),
      async execute({ when, text }, { owner, sessionId, callId, requesters }) {
        const ref = { owner, sessionId };
        const known = (await openReminders(store, ref)).find(({ key }) => key === callId);
        const draft = { at: known?.at ?? dueTime(when, Date.now()), text, key: callId };
        const { id, at } = await addReminder(store, ref, draft);
        await start(store, ref, callId, { at, text, ...(requesters ? { requesters } : {}) });
        return `Reminder ${id} is set for ${at}.`;
      },
    }),
    defineTool({
      ...ofSession,
      name: 'reminder_list',
      description: 'List the reminders that you have set and that are still to come.',
      input: z.object({}),
      async execute(_, { owner, sessionId }) {
        const open = await openReminders(store, { owner, sessionId });
        if (open.length === 0) return 'No reminder is set.';
        return open.map(({ id, at, text }) => `${id} at ${at}: ${text}`).join('\n');
      },
    }),
    defineTool({
      ...ofSession,
      name: 'reminder_cancel',
      description: 'Cancel a reminder that is still to come.',
      input: z.object({ id: z.string().describe('As reminder_list shows it, such as r1') }),
      async execute({ id }, { owner, sessionId, attempt }) {
        const ref = { owner, sessionId };
        const open = await openReminders(store, ref);
        const reminder = open.find((one) => one.id === id);
        if (!reminder && attempt > 1) return `Reminder ${id} is cancelled.`;
        if (!reminder)
          throw new RangeError(
            `there is no reminder ${id}${open.length === 0 ? '' : `: those to come are ${open.map((one) => one.id).join(', ')}`}`,
          );
        await cancel(store, ref, reminder.key);
        await removeReminder(store, ref, reminder.key);
        return `Reminder ${id} is cancelled.`;
      },
    }),
  ];
}

async function start(
  store: Store,
  to: SessionRef,
  key: string,
  { at, ...said }: { at: string } & Pick<InboxMessage, 'text' | 'requesters'>,
): Promise<void> {
  const { temporal, taskQueue } = courierHere(store);
  const input: WakeUpInput = {
    to,
    at,
    message: { id: `reminder/${key}`, kind: 'reminder', from: { name: 'you, earlier' }, ...said },
  };
  try {
    await temporal.workflow.start('wakeUp', {
      workflowId: reminderWorkflowId(to, key),
      taskQueue,
      args: [input],
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      staticSummary: `reminder of ${to.sessionId} at ${at}`,
    });
  } catch (error) {
    // An earlier attempt of this call started it.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

/** Cancels all that the session has set and that is still to come. */
export async function cancelReminders(store: Store, ref: SessionRef): Promise<void> {
  for (const { key } of await openReminders(store, ref)) {
    await cancel(store, ref, key);
    await removeReminder(store, ref, key);
  }
}

async function cancel(store: Store, ref: SessionRef, key: string): Promise<void> {
  try {
    await courierHere(store).temporal.workflow.getHandle(reminderWorkflowId(ref, key)).cancel();
  } catch (error) {
    // It has just come.
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}
