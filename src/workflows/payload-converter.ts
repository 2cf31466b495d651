// Reads payloads inside workflows. Imports @temporalio/common only.
import { defaultPayloadConverter, type PayloadConverter } from '@temporalio/common';

/**
 * A payload that can't be read becomes undefined: anybody may send a signal in an encoding that we don't know, and an error here would
 * fail the workflow's task for ever. Handlers ignore what is no message of theirs.
 */
export const payloadConverter: PayloadConverter = {
  toPayload: (value) => defaultPayloadConverter.toPayload(value),
  fromPayload: (payload) => {
    try {
      return defaultPayloadConverter.fromPayload(payload);
    } catch {
      return undefined as never;
    }
  },
};
