import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import type { AgentEvent } from '../schema/event.ts';
import type { Msg } from '../schema/message.ts';
import { ApiConnection, type ApiOptions } from './api-connection.ts';
import type { ApiError } from './api-error.ts';
import type { Gate, SessionView } from './api-types.ts';
import { SessionFollower, type SessionAddress } from './session-follower.ts';

export type UseSessionOptions = ApiOptions & SessionAddress;

export interface UseSession extends Pick<
  SessionFollower,
  'send' | 'confirm' | 'interrupt' | 'steer' | 'submitExternalResults' | 'reconcile' | 'loadEarlier'
> {
  /** The transcript, with what is being written now. */
  messages: readonly Msg[];
  /** The transcript begins before `messages`: `loadEarlier` adds the page before them. */
  hasEarlier: boolean;
  /** Calls that wait at a gate, in the session or below it. */
  pending: readonly Gate[];
  /** `absent`: the first input begins the session. `lost`: the server is away, and tried again. `refused`: see `error`. */
  state: 'loading' | 'absent' | 'idle' | 'running' | 'waiting' | 'lost' | 'refused';
  session: SessionView | undefined;
  /** Events other than the pieces that messages are made of: turns, calls, progress, gates, tasks. */
  events: readonly AgentEvent[];
  error: ApiError | undefined;
}

/**
 * Follows one session over the HTTP API and renders with each change. It replays the session's events (of a long one the newest, after a page of
 * its messages), goes on live, and resumes where it was when the connection was lost.
 *
 * @example
 * const { messages, pending, send, confirm } = useSession({ baseUrl: '/api', sessionId: 'case-42', agent: 'support' });
 */
export function useSession(options: UseSessionOptions): UseSession {
  const { baseUrl, sessionId, agent } = options;
  const credentials = useRef(options);
  useEffect(() => {
    credentials.current = options;
  });
  const follower = useMemo(() => {
    const connection = new ApiConnection({
      ...(baseUrl === undefined ? {} : { baseUrl }),
      apiKey: () => {
        const { apiKey } = credentials.current;
        return typeof apiKey === 'function' ? apiKey() : apiKey;
      },
      fetch: (input, init) => (credentials.current.fetch ?? fetch)(input, init),
    });
    return new SessionFollower(connection, { sessionId, ...(agent === undefined ? {} : { agent }) });
  }, [baseUrl, sessionId, agent]);
  return useFollower(follower);
}

/** As `useSession`, of a follower that several components share. */
export function useFollower(follower: SessionFollower): UseSession {
  const snapshot = useSyncExternalStore(follower.subscribe, follower.snapshot, follower.snapshot);
  const actions = useMemo(
    () => ({
      send: follower.send.bind(follower),
      steer: follower.steer.bind(follower),
      interrupt: follower.interrupt.bind(follower),
      confirm: follower.confirm.bind(follower),
      submitExternalResults: follower.submitExternalResults.bind(follower),
      reconcile: follower.reconcile.bind(follower),
      loadEarlier: follower.loadEarlier.bind(follower),
    }),
    [follower],
  );
  const { status, connection, session, messages, hasEarlier, pending, facts, error } = snapshot;
  const known = connection === 'lost' ? 'lost' : (session?.state ?? 'loading');
  const state = status === 'ready' ? known : status === 'loading' && connection === 'lost' ? 'lost' : status;
  return { ...actions, state, session, messages, hasEarlier, pending, events: facts, error };
}
