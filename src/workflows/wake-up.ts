// Workflow code: a message to a session at a later time. Imports contracts and @temporalio/workflow only.
import { setCurrentDetails, sleep } from '@temporalio/workflow';
import type { WakeUpInput } from '../contracts/reminders.ts';
import { wakeSession } from './activity-proxies.ts';

/** Sleeps until then, whatever restarts meanwhile; cancelled, it says nothing. */
export async function wakeUp(input: WakeUpInput): Promise<void> {
  const { sessionId } = input.to;
  setCurrentDetails(`wakes \`${sessionId}\` at ${input.at}`);
  await sleep(Math.max(1, Date.parse(input.at) - Date.now()), { summary: `until ${input.at}` });
  await wakeSession.executeWithOptions({ summary: `wake ${sessionId}` }, [input]);
}
