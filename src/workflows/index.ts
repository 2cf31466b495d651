// Every workflow that the worker registers.
export { agentPipeline } from './agent-pipeline.ts';
export { agentSession } from './agent-session.ts';
export { agentTurn } from './agent-turn.ts';
