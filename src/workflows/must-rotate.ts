// Workflow code: when a run is long enough. Imports @temporalio/workflow only.
import { workflowInfo } from '@temporalio/workflow';

/** Replay costs near 1 ms an event: a run rotates at its next quiet point past this many. */
const rotateAfterEvents = 1000;

export function mustRotate(): boolean {
  const info = workflowInfo();
  return info.historyLength > rotateAfterEvents || info.continueAsNewSuggested;
}
