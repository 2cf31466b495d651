// Workflow code: what is left to do on a worker when a session was erased. Imports contracts and @temporalio/workflow only.
import { setCurrentDetails } from '@temporalio/workflow';
import type { CleanUpInput } from '../contracts/clean-up.ts';
import { removeKept } from './activity-proxies.ts';

export async function cleanUp(input: CleanUpInput): Promise<void> {
  const { sessionId } = input.ref;
  setCurrentDetails(`removes what was kept for \`${sessionId}\``);
  await removeKept.executeWithOptions({ summary: `clean up ${sessionId}` }, [input]);
}
