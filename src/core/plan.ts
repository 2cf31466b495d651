import type { Json } from '../schema/message.ts';

export type TaskState = 'pending' | 'in_progress' | 'completed';

/** One task of a plan. Who waits for whom is kept on one side only, so that both sides always agree. */
export interface PlanTask {
  /** Counted from 1; never given twice. */
  id: string;
  subject: string;
  description: string;
  state: TaskState;
  owner?: string;
  /** Tasks that must be completed first. */
  blockedBy: string[];
  metadata?: Record<string, Json>;
  /** Of the call that made it: a repeat of the call makes no second task. */
  key: string;
}

export interface Plan {
  nextId: number;
  tasks: PlanTask[];
}

/** A task as people and models see it: with both sides of its dependencies, and whether it can begin. */
export interface TaskView extends Omit<PlanTask, 'key'> {
  /** Some of `blockedBy` are not completed. */
  isBlocked: boolean;
  /** Tasks that wait for it. */
  blocks: string[];
}

export interface TaskDraft {
  subject: string;
  description?: string | undefined;
  owner?: string | undefined;
  blockedBy?: readonly string[] | undefined;
  metadata?: Record<string, Json> | undefined;
}

export interface TaskChange {
  subject?: string | undefined;
  description?: string | undefined;
  state?: TaskState | 'deleted' | undefined;
  /** An empty text: nobody's. */
  owner?: string | undefined;
  addBlockedBy?: readonly string[] | undefined;
  addBlocks?: readonly string[] | undefined;
  removeBlockedBy?: readonly string[] | undefined;
  removeBlocks?: readonly string[] | undefined;
  /** Merged key by key; null removes one. */
  metadata?: Record<string, Json> | undefined;
}

/** What a plan can't take: a sentence that tells the model what to mend. */
export class PlanError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PlanError';
  }
}

/** A plan is part of a session's state, and of what its model reads: it must not grow without end. */
const maxTasks = 200;

export const emptyPlan: Plan = { nextId: 1, tasks: [] };

/**
 * Adds a task.
 *
 * @param key of the call; the task that an earlier attempt of the call made is returned as it is.
 * @throws PlanError
 */
export function createTask(plan: Plan, draft: TaskDraft, key: string): { plan: Plan; task: PlanTask } {
  const made = plan.tasks.find((task) => task.key === key);
  if (made) return { plan, task: made };
  if (plan.tasks.length >= maxTasks)
    throw new PlanError(
      `The plan has ${maxTasks} tasks, which is all it holds: delete completed ones first.`,
    );
  const { subject, description = '', owner, blockedBy = [], metadata } = draft;
  const task: PlanTask = {
    id: String(plan.nextId),
    subject,
    description,
    state: 'pending',
    ...(owner ? { owner } : {}),
    blockedBy: unique(blockedBy.map((id) => mustFind(plan, id).id)),
    ...(metadata ? { metadata: merged({}, metadata) } : {}),
    key,
  };
  return { plan: { nextId: plan.nextId + 1, tasks: [...plan.tasks, task] }, task };
}

/**
 * Changes a task, or deletes it with all that depended on it. A change that changes nothing answers the very plan that it was given.
 *
 * @throws PlanError for ids that are not in the plan, a cycle, or a task that begins before what it waits for is completed.
 */
export function updateTask(plan: Plan, id: string, change: TaskChange): Plan {
  const before = mustFind(plan, id);
  if (change.state === 'deleted') return without(plan, id);
  const blockedBy = relinked(plan, before, change);
  const after: PlanTask = {
    ...before,
    subject: change.subject ?? before.subject,
    description: change.description ?? before.description,
    state: change.state ?? before.state,
    blockedBy,
    ...(change.metadata ? { metadata: merged(before.metadata ?? {}, change.metadata) } : {}),
  };
  if (change.owner === '') delete after.owner;
  else if (change.owner !== undefined) after.owner = change.owner;

  const addBlocks = (change.addBlocks ?? []).map((other) => mustFind(plan, other).id);
  const removeBlocks = (change.removeBlocks ?? []).map((other) => mustFind(plan, other).id);
  const tasks = plan.tasks.map((task) => {
    if (task.id === id) return after;
    const isAdded = addBlocks.includes(task.id);
    if (!isAdded && !removeBlocks.includes(task.id)) return task;
    const others = task.blockedBy.filter((blocker) => blocker !== id);
    return { ...task, blockedBy: isAdded ? [...others, id] : others };
  });
  if (addBlocks.includes(id)) throw new PlanError(`Task ${id} can't wait for itself.`);
  const changed = { ...plan, tasks };
  refuseCycle(changed, [id, ...addBlocks]);
  refuseBlockedStart(changed, after, change);
  return JSON.stringify(changed) === JSON.stringify(plan) ? plan : changed;
}

export function findTask(plan: Plan, id: string): TaskView | undefined {
  const task = plan.tasks.find((one) => one.id === id);
  return task && viewOf(plan, task);
}

export function taskViews(plan: Plan): TaskView[] {
  return plan.tasks.map((task) => viewOf(plan, task));
}

/** @throws PlanError naming the tasks that there are. */
export function mustFindTask(plan: Plan, id: string): TaskView {
  return viewOf(plan, mustFind(plan, id));
}

/** One line for each task: `2 [pending] Write tests (ann) blocked by 1`. */
export function describeTasks(views: readonly TaskView[]): string {
  return views
    .map(({ id, state, subject, owner, blockedBy, isBlocked }) => {
      const by = owner === undefined ? '' : ` (${owner})`;
      return `${id} [${state}] ${subject}${by}${isBlocked ? ` blocked by ${blockedBy.join(', ')}` : ''}`;
    })
    .join('\n');
}

/** Tasks that are not completed. */
export function openTasks(plan: Plan): TaskView[] {
  return taskViews(plan).filter(({ state }) => state !== 'completed');
}

function viewOf(plan: Plan, planned: PlanTask): TaskView {
  const { key: _key, ...task } = planned;
  return {
    ...task,
    isBlocked: openBlockers(plan, task).length > 0 && task.state !== 'completed',
    blocks: plan.tasks.filter(({ blockedBy }) => blockedBy.includes(task.id)).map(({ id }) => id),
  };
}

function relinked(plan: Plan, task: PlanTask, change: TaskChange): string[] {
  const removed = (change.removeBlockedBy ?? []).map((id) => mustFind(plan, id).id);
  const added = (change.addBlockedBy ?? []).map((id) => mustFind(plan, id).id);
  return unique([...task.blockedBy.filter((id) => !removed.includes(id)), ...added]);
}

function refuseBlockedStart(plan: Plan, task: PlanTask, change: TaskChange): void {
  if (change.state !== 'in_progress') return;
  const blockers = openBlockers(plan, task);
  if (blockers.length > 0)
    throw new PlanError(
      `Task ${task.id} can't begin: it is blocked by ${describeTasks(blockers.map((one) => viewOf(plan, one))).replaceAll('\n', '; ')}. Complete that first, or remove the dependency with removeBlockedBy.`,
    );
}

function openBlockers(plan: Plan, task: Pick<PlanTask, 'blockedBy'>): PlanTask[] {
  return plan.tasks.filter(({ id, state }) => task.blockedBy.includes(id) && state !== 'completed');
}

/** A cycle must pass through a task whose dependencies were changed. */
function refuseCycle(plan: Plan, changed: readonly string[]): void {
  for (const id of changed) {
    const path = pathBack(plan, id, id, new Set());
    if (path) throw new PlanError(`These tasks would wait for each other: ${[id, ...path].join(' → ')}.`);
  }
}

/** The way from one task over those that it waits for to another one; undefined when there is none. */
function pathBack(plan: Plan, from: string, to: string, seen: Set<string>): string[] | undefined {
  for (const blocker of plan.tasks.find(({ id }) => id === from)?.blockedBy ?? []) {
    if (blocker === to) return [to];
    if (seen.has(blocker)) continue;
    seen.add(blocker);
    const rest = pathBack(plan, blocker, to, seen);
    if (rest) return [blocker, ...rest];
  }
  return undefined;
}

function without(plan: Plan, id: string): Plan {
  return {
    ...plan,
    tasks: plan.tasks
      .filter((task) => task.id !== id)
      .map((task) =>
        task.blockedBy.includes(id)
          ? { ...task, blockedBy: task.blockedBy.filter((blocker) => blocker !== id) }
          : task,
      ),
  };
}

function mustFind(plan: Plan, id: string): PlanTask {
  const task = plan.tasks.find((one) => one.id === id);
  if (task) return task;
  const ids = plan.tasks.map((one) => one.id).join(', ');
  throw new PlanError(
    `There is no task ${id}. ${ids === '' ? 'The plan is empty.' : `The tasks are ${ids}.`}`,
  );
}

function merged(now: Record<string, Json>, change: Record<string, Json>): Record<string, Json> {
  return Object.fromEntries(Object.entries({ ...now, ...change }).filter(([, value]) => value !== null));
}

function unique(ids: readonly string[]): string[] {
  return [...new Set(ids)];
}
