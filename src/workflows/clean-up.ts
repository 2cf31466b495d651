// Workflow code: what is left to do on a worker when a session was erased. Imports contracts and @temporalio/workflow only.
import { setCurrentDetails } from '@temporalio/workflow';
import type { CleanUpInput } from '../contracts/clean-up.ts';
import { deliverMessage, removeKept } from './activity-proxies.ts';

export async function cleanUp(input: CleanUpInput): Promise<void> {
  const { letter, ref } = input;
  const { sessionId } = ref;
  setCurrentDetails(`removes what was kept for \`${sessionId}\``);
  const told = letter && deliverMessage.executeWithOptions({ summary: 'tell its leader' }, [letter]);
  try {
    await removeKept.executeWithOptions({ summary: `clean up ${sessionId}` }, [input]);
  } finally {
    await told;
  }
}
