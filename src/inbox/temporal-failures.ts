import { isGrpcServiceError, ServiceError, WorkflowNotFoundError } from '@temporalio/client';

const deadlineExceeded = 4;
/** Resource exhausted; failed precondition, when a task failed or its worker was lost with it; aborted; unavailable. */
const passing: readonly number[] = [8, 9, 10, 14];

/** The status of a failed call of the Temporal client; undefined when it failed otherwise. */
export function grpcCode(error: unknown): number | undefined {
  const cause = error instanceof ServiceError ? error.cause : error;
  return isGrpcServiceError(cause) ? cause.code : undefined;
}

/** The workflow is not there, or closed. */
export function isNotFound(error: unknown): boolean {
  return error instanceof WorkflowNotFoundError;
}

/** The server, or the run that took an update in, was just then busy or ending: another attempt may meet the next one. */
export function isPassing(error: unknown): boolean {
  const code = grpcCode(error);
  return code !== undefined && passing.includes(code);
}

/** Nobody answered in time. */
export function isLate(error: unknown): boolean {
  return grpcCode(error) === deadlineExceeded || /timed? ?out|deadline/i.test(String(error));
}
