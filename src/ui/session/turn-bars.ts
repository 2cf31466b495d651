import type { AgentEvent } from '../../schema/event.ts';
import type { Usage } from '../../schema/message.ts';
import type { Costs } from '../api/cost.ts';
import { callTraces } from './call-traces.ts';

/** A stretch of a turn's time. Times are milliseconds since 1970. */
export interface Bar {
  key: string;
  kind: 'model' | 'tool' | 'wait';
  label: string;
  detail: string;
  state: string;
  /** Of a model call that has ended. */
  spent?: { model: string; usage: Usage };
  from: number;
  /** Absent while it goes on. */
  to?: number;
}

/** What a turn's time went into: model calls, tools, and waits at gates, in the order in which they began. */
export function turnBars(facts: readonly AgentEvent[]): Bar[] {
  const own = facts.filter(({ path }) => !path);
  return [...modelBars(own), ...callBars(own)].toSorted((a, b) => a.from - b.from);
}

/** What its model calls have used so far; the cost is undefined when the price of one of them is. */
export function turnTokens(facts: readonly AgentEvent[], costOf: Costs['ofModel']) {
  const calls = modelBars(facts.filter(({ path }) => !path)).flatMap(({ spent }) => spent ?? []);
  const costs = calls.map(({ model, usage }) => costOf(model, usage));
  return {
    inputTokens: calls.reduce((sum, { usage }) => sum + usage.inputTokens, 0),
    outputTokens: calls.reduce((sum, { usage }) => sum + usage.outputTokens, 0),
    cost: costs.includes(undefined) ? undefined : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0),
  };
}

function modelBars(facts: readonly AgentEvent[]): Bar[] {
  const bars: Bar[] = [];
  const open = new Map<string, Bar & { model: string }>();
  for (const event of facts) {
    const at = Date.parse(event.at);
    if (event.kind === 'model_call_start') {
      const earlier = open.get(event.messageId);
      if (earlier) Object.assign(earlier, { to: at, state: 'error', detail: 'broke, and was tried again' });
      const bar = {
        key: `${event.messageId} ${event.attempt}`,
        kind: 'model' as const,
        model: event.model,
        label: `Step ${event.step}: ${event.model}`,
        detail: event.attempt > 1 ? `attempt ${event.attempt}` : '',
        state: 'running',
        from: at,
      };
      open.set(event.messageId, bar);
      bars.push(bar);
    } else if (event.kind === 'model_call_end') {
      const bar = open.get(event.messageId);
      if (!bar) continue;
      bar.to = at;
      bar.state = 'success';
      bar.spent = { model: bar.model, usage: event.usage };
      open.delete(event.messageId);
    } else if (event.kind === 'turn_end')
      for (const bar of open.values()) Object.assign(bar, { to: at, state: 'interrupted' });
  }
  return bars;
}

function callBars(facts: readonly AgentEvent[]): Bar[] {
  const end = facts.findLast(({ kind }) => kind === 'turn_end');
  const last = end ? { to: Date.parse(end.at) } : {};
  return [...callTraces(facts).values()].flatMap((trace): Bar[] => {
    const { callId, name, startedAt, endedAt, attempt, waits } = trace;
    const bars: Bar[] = waits.map((wait, index) => ({
      key: `${callId} wait ${index}`,
      kind: 'wait',
      label: `${name} waits`,
      detail: waitDetail(wait),
      state: wait.to === undefined ? 'waiting' : 'answered',
      from: wait.from,
      ...(wait.to === undefined ? last : { to: wait.to }),
    }));
    if (startedAt === undefined) return bars;
    bars.push({
      key: callId,
      kind: 'tool',
      label: name,
      detail: attempt > 1 ? `attempt ${attempt}` : '',
      state: trace.state ?? 'running',
      from: startedAt,
      ...(endedAt === undefined ? last : { to: endedAt }),
    });
    return bars;
  });
}

function waitDetail({ answer, actor, reason }: { answer?: string; actor?: string; reason?: string }): string {
  if (answer === undefined) return 'for an answer';
  return [answer.replaceAll('_', ' '), actor && `by ${actor}`, reason && `(${reason})`]
    .filter(Boolean)
    .join(' ');
}
