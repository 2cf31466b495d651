import { ApplicationFailure } from '@temporalio/activity';
import { AgentNotFoundError } from '../agents/agent-registry.ts';
import { failure, type FailureCode } from '../contracts/failures.ts';
import { InboxError } from '../inbox/inbox-error.ts';
import { ModelError, type ModelErrorCode } from '../model/model-error.ts';
import { StoreUnavailableError } from '../store/store-errors.ts';

const modelFailures: Record<ModelErrorCode, FailureCode> = {
  rate_limited: failure.modelUnavailable,
  overloaded: failure.modelUnavailable,
  timeout: failure.modelUnavailable,
  connection: failure.modelUnavailable,
  stream_broken: failure.modelUnavailable,
  unknown: failure.modelUnavailable,
  authentication: failure.modelAuthentication,
  permission: failure.modelAuthentication,
  model_not_found: failure.modelNotFound,
  invalid_request: failure.modelRejectedRequest,
  content_filter: failure.modelRejectedRequest,
  context_overflow: failure.modelContextOverflow,
};

/** An endpoint may answer with a whole page: people read the beginning. */
const maxMessageLength = 2000;

/**
 * The one place that decides what Temporal retries. A model error is final by its class, or when its attempts are used up; a message that
 * was not delivered by its reason; a store that is away is waited for; anything else is a bug, and final.
 */
export function toFailure(error: unknown, attempt: number, maxAttempts: number): Error {
  if (error instanceof ApplicationFailure) return error;
  if (error instanceof ModelError) {
    const isFinal = !error.isRetryable || attempt >= maxAttempts;
    const suffix = isFinal && error.isRetryable ? ` (gave up after ${attempt} attempts)` : '';
    return ApplicationFailure.create({
      message: error.message.slice(0, maxMessageLength) + suffix,
      type: modelFailures[error.code],
      nonRetryable: isFinal,
      // A delay of 0 would end the retries: the server takes it for none.
      ...(error.retryAfterMs ? { nextRetryDelay: error.retryAfterMs } : {}),
      cause: error,
    });
  }
  if (error instanceof StoreUnavailableError)
    return ApplicationFailure.create({
      message: error.message,
      type: failure.storeUnavailable,
      nonRetryable: false,
      cause: error,
    });
  if (error instanceof InboxError)
    return ApplicationFailure.create({
      message: error.message,
      type: error.code,
      nonRetryable: !error.isRetryable,
      cause: error,
    });
  if (error instanceof AgentNotFoundError)
    return ApplicationFailure.nonRetryable(error.message, failure.agentNotFound);
  const cause = error instanceof Error ? error : new Error(String(error));
  return ApplicationFailure.create({
    message: cause.message,
    type: failure.internal,
    nonRetryable: true,
    cause,
  });
}
