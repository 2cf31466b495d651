import { parseTurnId, type SessionRef } from '../contracts/ids.ts';
import { escapeMarkup } from '../core/hint-text.ts';
import { describeTasks, openTasks, type Plan } from '../core/plan.ts';
import type { Store } from '../store/store.ts';
import type { LoadedTools, ToolSource } from '../tools/tool-source.ts';
import type { CallContext } from '../tools/tool.ts';
import { changePlan, readPlan } from './plan-slot.ts';
import { checkTaskOwner, planSessionOf } from './plan-session.ts';
import { planTools } from './plan-tools.ts';

/** Tasks that a hint lists; the rest are counted. */
const listed = 30;

/** The plan as its tools see it. */
export interface PlanBoard {
  read(call: SessionRef): Promise<Plan>;
  /** What goes on in the background besides; undefined when there is nothing. */
  background?(session: SessionRef): Promise<string | undefined>;
  /**
   * Changes it for a call. What `change` throws is the call's error.
   *
   * @param owner whom the change gives a task to: checked.
   */
  change(call: CallContext, change: (plan: Plan) => Plan, owner?: string): Promise<Plan>;
}

/**
 * Tools with which an agent keeps a plan: tasks with states and dependencies, on by `defineAgent({ tasks: true })`. What is open is told
 * before a model call whose context shows neither the plan nor a call of these tools.
 */
export function taskSource(store: Store, background?: PlanBoard['background']): ToolSource {
  const board = { ...boardOf(store), ...(background ? { background } : {}) };
  const tools = planTools(board);
  const unlessCalled = tools.map(({ name }) => name);
  return {
    name: 'tasks',
    async load({ ref }): Promise<LoadedTools> {
      const text = describePlan(await board.read(ref));
      return { tools, ...(text === undefined ? {} : { notice: { text, unlessCalled } }) };
    },
  };
}

function boardOf(store: Store): PlanBoard {
  return {
    read: async (ref) => readPlan(store, await planSessionOf(store, ref)),
    change: async ({ owner, sessionId, turnId }, change, taskOwner) => {
      const ref = { owner, sessionId };
      const root = await planSessionOf(store, ref);
      await checkTaskOwner(store, root, taskOwner);
      return changePlan(store, root, { ref, turn: parseTurnId(turnId)?.turn ?? 0 }, change);
    },
  };
}

function describePlan(plan: Plan): string | undefined {
  const open = openTasks(plan);
  if (open.length === 0) return undefined;
  const more = open.length > listed ? `\nand ${open.length - listed} more: call task_list` : '';
  return `<tasks>\nOpen tasks of your plan:\n${escapeMarkup(describeTasks(open.slice(0, listed)))}${more}\n</tasks>`;
}
