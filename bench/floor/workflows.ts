// Workflow code: what a turn costs in bare Temporal. Imports @temporalio/workflow and types of its activities only.
import { condition, defineSignal, proxyActivities, setHandler } from '@temporalio/workflow';
import type * as activities from './activities.ts';

const { model, tool } = proxyActivities<typeof activities>({ startToCloseTimeout: '1m' });

/** As many activities as a turn of that many steps has model and tool calls; those of one step side by side. */
export async function bareTurn(steps: number, calls: number): Promise<void> {
  for (let step = 1; step <= steps; step += 1) {
    await model(step);
    await Promise.all(Array.from({ length: calls }, (_, call) => tool(call)));
  }
  await model(steps + 1);
}

export const goSignal = defineSignal('go');

/** What a gate costs in bare Temporal: a wait for a signal, and the activity that it lets go. */
export async function bareGate(): Promise<void> {
  let isOpen = false;
  setHandler(goSignal, () => void (isOpen = true));
  await condition(() => isOpen);
  await tool(1);
}
