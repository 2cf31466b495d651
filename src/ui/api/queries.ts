import { QueryClient, keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ApiError } from '../../react/index.ts';
import { followStream } from '../../react/follow-stream.ts';
import type { AgentEvent } from '../../schema/event.ts';
import { connection } from './connection.ts';
import type {
  AgentView,
  AuditEntry,
  DayUsage,
  Gate,
  HealthView,
  Page,
  PipelineList,
  PipelineView,
  ScheduleList,
  ServiceView,
  SessionSummary,
  TurnSummary,
} from './types.ts';

const slowMs = 4_000;
const streamLessMs = 15_000;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // The page may be of this machine: it works offline.
      networkMode: 'always',
      retry: (_, error) => error instanceof ApiError && error.isPassing,
      retryDelay: (attempt) => Math.min(500 * 2 ** attempt, 4_000),
      staleTime: 1_000,
    },
  },
});

/** Told by the server with each change; asked for now and then besides, in case that something between holds streams back. */
export function useGates() {
  return useQuery({
    queryKey: ['gates'],
    queryFn: ({ signal }) => connection.json<Page<Gate>>('/v1/gates?limit=100', { signal }),
    refetchInterval: streamLessMs,
  });
}

/** Keeps `useGates` up to date while it is mounted. */
export function useLiveGates(): void {
  useEffect(() => {
    const leaving = new AbortController();
    void followGates(leaving.signal);
    return () => leaving.abort();
  }, []);
}

async function followGates(signal: AbortSignal): Promise<void> {
  const pages = followStream<Page<Gate>>(connection, () => '/v1/gates/events', { signal });
  try {
    for await (const batch of pages) {
      // What was asked for before may be older.
      await queryClient.cancelQueries({ queryKey: ['gates'] });
      if (!signal.aborted) queryClient.setQueryData(['gates'], batch.at(-1));
    }
  } catch {
    // A key that may not read is told so by the query.
  }
}

/** Gates are read again at once. */
export function refreshGates(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ['gates'] });
}

export interface SessionFilter {
  agent?: string | undefined;
  state?: string | undefined;
}

export function useSessions(filter: SessionFilter) {
  return useInfiniteQuery({
    queryKey: ['sessions', filter],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam }) =>
      connection.json<Page<SessionSummary>>(
        `/v1/sessions?${queryOf({ ...filter, cursor: pageParam, limit: '25' })}`,
        { signal },
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: slowMs,
  });
}

/**
 * The turns from the newest back to `oldest`; nothing is read before that is known.
 *
 * @param facts of the session: with each turn that begins, waits or ends they are read again.
 */
export function useTurns(sessionId: string, facts: readonly AgentEvent[], oldest: number | undefined) {
  const lastChange = facts.findLast(({ kind, path }) => !path && /^(turn|run)_/.test(kind))?.id ?? 0;
  return useQuery({
    queryKey: ['turns', sessionId, lastChange, oldest],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => turnsBackTo(oldest ?? 1, sessionId, signal),
    enabled: oldest !== undefined,
  });
}

/** The sessions that this one began. @param facts of it: when one below begins, waits or ends, they are read again. */
export function useChildren(sessionId: string, facts: readonly AgentEvent[]) {
  const lastChange = facts.findLast(({ kind, path }) => path && /^(turn|run)_/.test(kind))?.id ?? 0;
  return useQuery({
    queryKey: ['children', sessionId, lastChange],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      connection.json<Page<SessionSummary>>(`/v1/sessions?${queryOf({ parent: sessionId, limit: '100' })}`, {
        signal,
      }),
  });
}

async function turnsBackTo(oldest: number, sessionId: string, signal: AbortSignal): Promise<TurnSummary[]> {
  const turns: TurnSummary[] = [];
  let cursor: string | undefined;
  do {
    const path = `${pathOfSession(sessionId)}/turns?${queryOf({ limit: '100', cursor })}`;
    const page: Page<TurnSummary> = await connection.json(path, { signal });
    turns.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined && (turns.at(-1)?.turn ?? 0) > oldest);
  return turns;
}

export function useAgents() {
  return useQuery({
    queryKey: ['agents'],
    queryFn: async ({ signal }) =>
      (await connection.json<{ items: AgentView[] }>('/v1/agents', { signal })).items,
  });
}

export function useUsage() {
  return useQuery({
    queryKey: ['usage'],
    queryFn: async ({ signal }) =>
      (await connection.json<{ items: DayUsage[] }>('/v1/usage', { signal })).items,
    refetchInterval: 30_000,
  });
}

export function useSchedules() {
  return useQuery({
    queryKey: ['schedules'],
    queryFn: ({ signal }) => connection.json<ScheduleList>('/v1/schedules', { signal }),
    refetchInterval: slowMs,
  });
}

type ScheduleChange = 'pause' | 'resume' | 'trigger' | 'delete';

/** The list follows only after a moment: until then it is changed here. */
export async function changeSchedule(id: string, change: ScheduleChange): Promise<void> {
  const path = `/v1/schedules/${encodeURIComponent(id)}`;
  if (change === 'delete') await connection.send(path, { method: 'DELETE' });
  else await connection.send(`${path}/${change}`, { method: 'POST' });
  const now = change === 'delete' ? [] : [await connection.json<ScheduleList['items'][number]>(path)];
  await queryClient.cancelQueries({ queryKey: ['schedules'] });
  queryClient.setQueryData<ScheduleList>(
    ['schedules'],
    (list) => list && { ...list, items: list.items.flatMap((one) => (one.id === id ? now : one)) },
  );
}

/** Undefined where the server has none. */
export function usePipelines() {
  return useQuery({
    queryKey: ['pipelines'],
    queryFn: ({ signal }) => connection.json<PipelineList>('/v1/pipelines', { signal }),
    refetchInterval: slowMs,
  });
}

export function usePipeline(id: string) {
  return useQuery({
    queryKey: ['pipelines', id],
    queryFn: ({ signal }) => connection.json<PipelineView>(pathOfPipeline(id), { signal }),
    refetchInterval: slowMs,
  });
}

export async function cancelPipeline(id: string): Promise<void> {
  await connection.send(`${pathOfPipeline(id)}/cancel`, { method: 'POST' });
  await queryClient.invalidateQueries({ queryKey: ['pipelines'] });
}

function pathOfPipeline(id: string): string {
  return `/v1/pipelines/${encodeURIComponent(id)}`;
}

/** Who one is to the server, and where Temporal Web is. */
export function useService() {
  return useQuery({
    queryKey: ['service'],
    queryFn: ({ signal }) => connection.json<ServiceView>('/v1/service', { signal }),
    staleTime: 60_000,
  });
}

/** A server that lacks something says so as its answer. */
export function useHealth() {
  return useQuery({
    queryKey: ['health'],
    queryFn: async ({ signal }): Promise<HealthView> => {
      const response = await fetch('/v1/health', { signal });
      if (response.status !== 200 && response.status !== 503)
        throw new ApiError(
          { code: 'unknown', status: response.status },
          'The server does not tell its health',
        );
      return (await response.json()) as HealthView;
    },
    refetchInterval: slowMs,
    retry: false,
  });
}

/** The decisions about one call, oldest first. */
export async function auditOf(sessionId: string, callId: string): Promise<AuditEntry[]> {
  const path = `${pathOfSession(sessionId)}/audit?${queryOf({ callId })}`;
  return (await connection.json<Page<AuditEntry>>(path)).items;
}

export function pathOfSession(sessionId: string): string {
  return `/v1/sessions/${encodeURIComponent(sessionId)}`;
}

function queryOf(values: Record<string, string | undefined>): string {
  const given = Object.entries(values).filter((entry): entry is [string, string] => !!entry[1]);
  return new URLSearchParams(given).toString();
}
