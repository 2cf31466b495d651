import type { SessionRef } from '../contracts/ids.ts';
import { emptyPlan, taskViews, type Plan, type TaskView } from '../core/plan.ts';
import type { EventBody } from '../schema/event.ts';
import type { Json } from '../schema/message.ts';
import type { Store } from '../store/store.ts';

/** The slot that holds a session's plan. */
const slot = 'tasks';

/** Who changes a plan: the call of a session's turn. */
export interface PlanActor {
  ref: SessionRef;
  turn: number;
}

export async function readPlan(store: Store, ref: SessionRef): Promise<Plan> {
  return toPlan(await store.slots.get(ref, slot));
}

/**
 * Changes a session's plan and tells observers, in one transaction.
 *
 * @param change must be fast and pure; what it throws leaves the plan as it is. The same plan: nothing is written.
 * @returns what the plan is now.
 */
export async function changePlan(
  store: Store,
  ref: SessionRef,
  actor: PlanActor,
  change: (plan: Plan) => Plan,
): Promise<Plan> {
  const isOwn = ref.sessionId === actor.ref.sessionId;
  const turn = isOwn ? actor.turn : ((await store.sessions.get(ref))?.lastTurn ?? 0);
  const value = await store.slots.update(ref, slot, (now) => {
    const before = toPlan(now);
    const after = change(before);
    if (after === before) return { value: now };
    const bodies = changesOf(before, after, actor.ref.sessionId);
    return { value: after as unknown as Json, events: { turn, bodies } };
  });
  return toPlan(value);
}

function toPlan(value: Json | undefined): Plan {
  return value === undefined ? emptyPlan : (value as unknown as Plan);
}

/** Every task whose view differs: one that became free because another was completed is told of as well. */
function changesOf(before: Plan, after: Plan, by: string): EventBody[] {
  const old = new Map(taskViews(before).map((view) => [view.id, view]));
  const now = new Map(taskViews(after).map((view) => [view.id, view]));
  const told = (change: 'created' | 'updated' | 'deleted', task: TaskView): EventBody => ({
    kind: 'task_changed',
    change,
    by,
    task,
  });
  return [
    ...[...old.values()].filter(({ id }) => !now.has(id)).map((task) => told('deleted', task)),
    ...[...now.values()].flatMap((task) => {
      const last = old.get(task.id);
      if (last === undefined) return [told('created', task)];
      return JSON.stringify(last) === JSON.stringify(task) ? [] : [told('updated', task)];
    }),
  ];
}
