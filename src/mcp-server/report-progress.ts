import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js';
import type { Turn } from '../client/client.ts';
import type { AgentEvent } from '../schema/event.ts';

/** A text that is streamed is told of this often at most. */
const textEveryMs = 500;

/** Tells a client that asked for it how far a turn is, until the signal ends it. What can't be told harms nothing. */
export async function reportProgress(
  turn: Turn,
  extra: RequestHandlerExtra<ServerRequest, ServerNotification>,
  signal: AbortSignal,
): Promise<void> {
  const progressToken = extra._meta?.progressToken;
  if (progressToken === undefined) return;
  let progress = 0;
  let toldAt = 0;
  try {
    for await (const event of turn.events({ signal })) {
      const message = wordsFor(event);
      const isText = event.kind === 'text_delta';
      if (message === undefined || (isText && performance.now() - toldAt < textEveryMs)) continue;
      toldAt = performance.now();
      progress += 1;
      const params = { progressToken, progress, message };
      await extra.sendNotification({ method: 'notifications/progress', params });
    }
  } catch {
    // The client has gone, or the wait is over.
  }
}

function wordsFor(event: AgentEvent): string | undefined {
  switch (event.kind) {
    case 'model_call_start':
      return `step ${event.step}: asks ${event.model}`;
    case 'text_delta':
      return `says ${event.delta}`;
    case 'tool_result_start':
      return `runs ${event.name}`;
    case 'tool_result_end':
      return `${event.state}: ${event.callId}`;
    case 'require_user_confirm':
      return `waits for a person: ${event.calls.map(({ name }) => name).join(', ')}`;
    default:
      return undefined;
  }
}
