/** The task queue of workflows and activities alike: one worker that polls both may take its activities eagerly. */
export const defaultTaskQueue = 'durascope';
