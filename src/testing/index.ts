export { type Responder, Script } from './scripted-endpoint/script.ts';
export { ScriptedModel, type ScriptedModelOptions } from './scripted-endpoint/scripted-model.ts';
export type { ConversationMessage, ScriptedRequest } from './scripted-endpoint/scripted-request.ts';
export {
  type Answer,
  type AnswerOptions,
  type Break,
  breaksAfter,
  calls,
  fails,
  type FailureOptions,
  hangs,
  type HangOptions,
  raw,
  says,
  type ScriptedCall,
  type Step,
  thinks,
  type WireOptions,
} from './scripted-endpoint/step.ts';
