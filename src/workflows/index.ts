// Every workflow that the worker registers.
export { agentSession } from './agent-session.ts';
export { agentTurn } from './agent-turn.ts';
