// What is safe inside a user's own workflow.
export { agentSession, agentTurn } from './workflows/index.ts';
export * from './contracts/messages.ts';
export type * from './contracts/inputs.ts';
export { sessionWorkflowId, turnIdOf, type SessionRef } from './contracts/ids.ts';
