import type { SessionRef } from '../contracts/ids.ts';
import type { SessionRecord } from '../store/store.ts';
import { DurascopeError } from './durascope-error.ts';
import type { ClientContext } from './temporal-client.ts';

/** A session, as somebody reaches it. */
export interface SessionPlace {
  context: ClientContext;
  ref: SessionRef;
  /** Whose session it is, or is to be, where the caller said so. */
  agent: string | undefined;
}

/** @throws DurascopeError `not_found` when nobody said whose session it is to be. */
export function newAgent({ agent, ref }: SessionPlace): string {
  if (agent !== undefined) return agent;
  throw new DurascopeError(
    'not_found',
    `There is no session ${ref.sessionId} of ${ref.owner}: name an agent to begin it`,
  );
}

/** @throws DurascopeError `conflict` */
export function mustBeOfAgent(
  { agent: named, ref }: SessionPlace,
  { agent }: Pick<SessionRecord, 'agent'>,
): void {
  if (named === undefined || named === agent) return;
  throw new DurascopeError(
    'conflict',
    `Session ${ref.sessionId} belongs to the agent ${agent}, not to ${named}: name ${agent}, or another session`,
  );
}
