import { isGrpcServiceError, ServiceError, WorkflowNotFoundError, type Client } from '@temporalio/client';

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

const notFoundCode = 5;

export function isNotFound(error: unknown): boolean {
  if (error instanceof WorkflowNotFoundError) return true;
  const cause = error instanceof ServiceError ? error.cause : error;
  const code: number | undefined = isGrpcServiceError(cause) ? cause.code : undefined;
  return code === notFoundCode;
}
