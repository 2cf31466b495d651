import { array, assert, constantFrom, integer, property, record, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createTask,
  describeTasks,
  emptyPlan,
  findTask,
  openTasks,
  PlanError,
  taskViews,
  updateTask,
  type Plan,
} from '../../src/core/plan.ts';

/** Tasks 1, 2 … of these subjects. */
function planOf(...subjects: string[]): Plan {
  return subjects.reduce((plan, subject, i) => createTask(plan, { subject }, `k${i}`).plan, emptyPlan);
}

describe('a plan', () => {
  it('counts its tasks from 1, and gives no id twice', () => {
    const two = updateTask(planOf('a', 'b'), '2', { state: 'deleted' });
    expect(createTask(two, { subject: 'c' }, 'k').task.id).toBe('3');
  });

  it('makes one task of one call, however often it is repeated', () => {
    const { plan, task } = createTask(emptyPlan, { subject: 'a' }, 'call');
    expect(createTask(plan, { subject: 'a' }, 'call')).toEqual({ plan, task });
  });

  it('shows a dependency on both sides, whichever side it was set from', () => {
    const one = updateTask(planOf('a', 'b'), '2', { addBlockedBy: ['1'] });
    const other = updateTask(planOf('a', 'b'), '1', { addBlocks: ['2'] });
    expect(taskViews(one)).toEqual(taskViews(other));
    expect(taskViews(one)).toMatchObject([
      { id: '1', blocks: ['2'], isBlocked: false },
      { id: '2', blockedBy: ['1'], isBlocked: true },
    ]);
    expect(taskViews(updateTask(one, '1', { removeBlocks: ['2'] }))).toEqual(taskViews(planOf('a', 'b')));
  });

  it('refuses a cycle with its path, of any length, and a task that waits for itself', () => {
    let plan = updateTask(planOf('a', 'b', 'c'), '2', { addBlockedBy: ['1'] });
    plan = updateTask(plan, '3', { addBlockedBy: ['2'] });
    expect(() => updateTask(plan, '1', { addBlockedBy: ['3'] })).toThrow('1 → 3 → 2 → 1');
    expect(() => updateTask(plan, '3', { addBlocks: ['1'] })).toThrow('wait for each other');
    expect(() => updateTask(plan, '1', { addBlockedBy: ['1'] })).toThrow('1 → 1');
    expect(() => updateTask(plan, '1', { addBlocks: ['1'] })).toThrow("can't wait for itself");
  });

  it('refuses ids that it has not, and names those that it has', () => {
    const plan = planOf('a', 'b');
    expect(() => updateTask(plan, '7', {})).toThrow('There is no task 7. The tasks are 1, 2.');
    expect(() => updateTask(plan, '1', { addBlocks: ['9'] })).toThrow('There is no task 9');
    expect(() => createTask(emptyPlan, { subject: 'x', blockedBy: ['1'] }, 'k')).toThrow(
      'The plan is empty.',
    );
  });

  it('lets a task begin only when what it waits for is completed', () => {
    const plan = updateTask(planOf('dig', 'build'), '2', { addBlockedBy: ['1'] });
    expect(() => updateTask(plan, '2', { state: 'in_progress' })).toThrow('blocked by 1 [pending] dig');
    const dug = updateTask(plan, '1', { state: 'completed' });
    expect(findTask(updateTask(dug, '2', { state: 'in_progress' }), '2')?.state).toBe('in_progress');
  });

  it('frees what waited for a deleted task', () => {
    const plan = updateTask(planOf('a', 'b'), '2', { addBlockedBy: ['1'] });
    expect(findTask(updateTask(plan, '1', { state: 'deleted' }), '2')).toMatchObject({
      blockedBy: [],
      isBlocked: false,
    });
  });

  it('merges metadata, and takes a key out by null', () => {
    const plan = updateTask(planOf('a'), '1', { metadata: { a: 1, b: 2 } });
    expect(findTask(updateTask(plan, '1', { metadata: { a: null, c: 3 } }), '1')?.metadata).toEqual({
      b: 2,
      c: 3,
    });
  });

  it('is the same object after a change that changes nothing', () => {
    const plan = planOf('a');
    expect(updateTask(plan, '1', { subject: 'a', state: 'pending', owner: '' })).toBe(plan);
  });

  it('holds a bounded number of tasks, and says so', () => {
    const full = planOf(...Array.from({ length: 200 }, (_, i) => `t${i}`));
    expect(() => createTask(full, { subject: 'one more' }, 'k')).toThrow('delete completed ones');
  });

  it('reads as one line a task', () => {
    let plan = updateTask(planOf('a', 'b'), '2', { addBlockedBy: ['1'], owner: 'ann' });
    plan = updateTask(plan, '1', { state: 'in_progress' });
    expect(describeTasks(openTasks(plan))).toBe('1 [in_progress] a\n2 [pending] b (ann) blocked by 1');
  });

  it('stays free of cycles, of dangling ids and of blocked tasks that began, whatever is tried', () => {
    const id = integer({ min: 1, max: 6 }).map(String);
    const change = record(
      {
        state: constantFrom('pending', 'in_progress', 'completed', 'deleted'),
        addBlockedBy: array(id, { maxLength: 2 }),
        addBlocks: array(id, { maxLength: 2 }),
        removeBlockedBy: array(id, { maxLength: 1 }),
      },
      { requiredKeys: [] },
    );
    assert(
      property(array(tuple(id, change), { maxLength: 40 }), (steps) => {
        let plan = planOf('a', 'b', 'c', 'd', 'e', 'f');
        for (const [target, tried] of steps) {
          try {
            plan = updateTask(plan, target, tried);
          } catch (error) {
            expect(error).toBeInstanceOf(PlanError);
          }
          const views = taskViews(plan);
          const order = new Map<string, number>();
          const place = (one: string, path: string[]): number => {
            expect(path).not.toContain(one);
            const view = views.find((other) => other.id === one);
            expect(view).toBeDefined();
            const known = order.get(one);
            if (known !== undefined) return known;
            const depth = 1 + Math.max(0, ...(view?.blockedBy ?? []).map((b) => place(b, [...path, one])));
            order.set(one, depth);
            return depth;
          };
          for (const view of views) place(view.id, []);
        }
      }),
    );
  });
});
