import type { CallState } from './next-action.ts';

/** The tool with which a model gives an answer in the form that the turn's submitter wants. No other tool may have its name. */
export const outputToolName = 'submit_output';

/** True for a call that gave the turn's answer. */
export function isOutput({ name, state }: { name: string; state: CallState }): boolean {
  return name === outputToolName && state === 'success';
}
