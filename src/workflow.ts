// What is safe inside a user's own workflow.
export { agentSession, agentTurn } from './workflows/index.ts';
export { runTurn, type RunTurnOptions } from './workflows/run-turn.ts';
export { Hub } from './workflows/hub.ts';
export { branch, fanOut, loop, parallel, pipeline, type Fanned, type Step } from './workflows/steps.ts';
export type { TurnInputLike } from './workflows/turn-content.ts';
export type { ReplyPart, TurnContent, TurnReply } from './contracts/child-turns.ts';
export * from './contracts/messages.ts';
export type * from './contracts/inputs.ts';
export { sessionWorkflowId, turnIdOf, type SessionRef } from './contracts/ids.ts';
