import type { Client } from '@temporalio/client';
import { isNotFound } from './temporal-failures.ts';

/** Whether a workflow runs; what was ended from outside says so nowhere else. */
export async function isWorkflowOpen(temporal: Client, workflowId: string): Promise<boolean> {
  try {
    const { status } = await temporal.workflow.getHandle(workflowId).describe();
    return status.name === 'RUNNING';
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
