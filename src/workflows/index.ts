// Every workflow that the worker registers.
export { agentPipeline } from './agent-pipeline.ts';
export { agentSession } from './agent-session.ts';
export { wakeUp } from './wake-up.ts';
export { scheduledTurn } from './scheduled-turn.ts';
export { agentTask } from './agent-task.ts';
export { agentTurn } from './agent-turn.ts';
export { cleanUp } from './clean-up.ts';
