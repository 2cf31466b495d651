import type { TaskView } from '../../core/plan.ts';
import type { AgentEvent } from '../../schema/event.ts';
import type { Json } from '../../schema/message.ts';
import type { AgUiEvent } from './ag-ui-event.ts';

/** The tasks of the session's plan as a part of the state that client and agent share: `tasks`, by id. What else the client has stays. */
export class TaskState {
  readonly #state: Json;
  readonly #tasks: readonly TaskView[];
  readonly #ids: Set<string>;
  /** The client has `tasks`, which changes are changes of. */
  #isTold = false;

  constructor(state: Json, tasks: readonly TaskView[]) {
    this.#state = state;
    this.#tasks = tasks;
    this.#ids = new Set(tasks.map(({ id }) => id));
  }

  start(): AgUiEvent[] {
    return this.#tasks.length > 0 ? [this.#snapshot()] : [];
  }

  change({ change, task }: Extract<AgentEvent, { kind: 'task_changed' }>): AgUiEvent[] {
    const before = this.#isTold ? [] : [this.#snapshot()];
    const path = `/tasks/${task.id.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (change === 'deleted') {
      const isKnown = this.#ids.delete(task.id);
      return isKnown ? [...before, { type: 'STATE_DELTA', delta: [{ op: 'remove', path }] }] : before;
    }
    this.#ids.add(task.id);
    return [...before, { type: 'STATE_DELTA', delta: [{ op: 'add', path, value: task as unknown as Json }] }];
  }

  #snapshot(): AgUiEvent {
    this.#isTold = true;
    const state = this.#state;
    const own = typeof state === 'object' && state !== null && !Array.isArray(state) ? state : {};
    const tasks = Object.fromEntries(this.#tasks.map((task) => [task.id, task as unknown as Json]));
    return { type: 'STATE_SNAPSHOT', snapshot: { ...own, tasks } };
  }
}
