// Workflow code: what a turn costs in bare Temporal. Imports @temporalio/workflow and types of its activities only.
import { condition, defineSignal, proxyActivities, setHandler } from '@temporalio/workflow';
import type * as activities from './activities.ts';

const { model, tool, mcpCall, ask } = proxyActivities<typeof activities>({ startToCloseTimeout: '1m' });

/** As many activities as a turn of that many steps has model and tool calls; those of one step side by side. */
export async function bareTurn(steps: number, calls: number, isMcp = false): Promise<void> {
  const act = isMcp ? mcpCall : tool;
  for (let step = 1; step <= steps; step += 1) {
    await model(step);
    await Promise.all(Array.from({ length: calls }, (_, call) => act(call)));
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

/** What a fan-out costs in bare Temporal: an activity for each item, at most so many at a time. */
export async function bareFanOut(modelUrl: string, inputs: string[], limit: number): Promise<string[]> {
  const answers: string[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let item = next++; item < inputs.length; item = next++)
      answers[item] = await ask(modelUrl, inputs[item] ?? '');
  };
  await Promise.all(Array.from({ length: limit }, lane));
  return answers;
}
