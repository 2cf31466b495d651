import type { Agent } from '../agents/agent.ts';
import { reminderSource } from '../reminders/reminder-source.ts';
import type { Store } from '../store/store.ts';
import { taskSource } from '../tasks/task-source.ts';
import { teamSource } from '../team/team-source.ts';
import { resetTools } from '../tools/reset-tools.ts';
import type { ToolSource } from '../tools/tool-source.ts';
import type { Tool } from '../tools/tool.ts';
import { backgroundSource, describeTasks, hasBackground } from './background-source.ts';
import { readResult } from './read-result.ts';

/** What the runtime itself offers the model of an agent, where it fits the session. */
export interface BuiltInTools {
  team: ToolSource;
  tasks?: ToolSource;
  background?: ToolSource;
  reminders?: ToolSource;
  /** For an agent with groups. */
  resetTools?: Tool;
  readResult: Tool;
}

const made = new WeakMap<Store, WeakMap<Agent, BuiltInTools>>();

/** Made once for a worker's agent, and not at each step: the schema of a tool takes longer to compile than all else there is to load. */
export function builtInTools(store: Store, agent: Agent): BuiltInTools {
  const ofStore = made.get(store) ?? new WeakMap<Agent, BuiltInTools>();
  made.set(store, ofStore);
  const tools = ofStore.get(agent) ?? make(store, agent);
  ofStore.set(agent, tools);
  return tools;
}

function make(store: Store, agent: Agent): BuiltInTools {
  return {
    team: teamSource(store, agent),
    ...(agent.hasTasks ? { tasks: taskSource(store, (ref) => describeTasks(store, ref)) } : {}),
    ...(hasBackground(agent) ? { background: backgroundSource(store, agent) } : {}),
    ...(agent.hasReminders ? { reminders: reminderSource(store) } : {}),
    ...(Object.keys(agent.toolGroups).length > 0 ? { resetTools: resetTools(agent.toolGroups) } : {}),
    readResult: readResult(store),
  };
}
