import type { AgentEvent } from '../../schema/event.ts';

/** What became of one call, by its events. Times are milliseconds since 1970. */
export interface CallTrace {
  callId: string;
  name: string;
  turnId: string;
  /** Of the attempt that counts. */
  startedAt?: number;
  endedAt?: number;
  attempt: number;
  state?: string;
  progress?: { message?: string | undefined; fraction?: number | undefined };
  waits: { from: number; to?: number; kind: string; answer?: string; actor?: string; reason?: string }[];
}

type Fact = AgentEvent;

export function callTraces(facts: readonly Fact[]): ReadonlyMap<string, CallTrace> {
  const traces = new Map<string, CallTrace>();
  const traceOf = (callId: string, event: Fact, name = ''): CallTrace => {
    const known = traces.get(callId);
    if (known) return known;
    const trace = { callId, name, turnId: event.turnId, attempt: 0, waits: [] };
    traces.set(callId, trace);
    return trace;
  };
  for (const event of facts) {
    if (event.path) continue;
    const at = Date.parse(event.at);
    switch (event.kind) {
      case 'tool_call_start':
        traceOf(event.callId, event, event.name);
        break;
      case 'require_user_confirm':
      case 'require_external_execution':
      case 'require_reconciliation':
        for (const { callId, name } of event.calls) {
          const { waits } = traceOf(callId, event, name);
          if (waits.at(-1)?.to !== undefined || waits.length === 0)
            waits.push({ from: at, kind: event.kind });
        }
        break;
      case 'gate_answered': {
        const wait = traceOf(event.callId, event).waits.at(-1);
        if (!wait || event.answer === 'vote') break;
        wait.to = at;
        wait.answer = event.answer;
        if (event.actor !== undefined) wait.actor = event.actor;
        if (event.reason !== undefined) wait.reason = event.reason;
        break;
      }
      case 'tool_result_start': {
        const trace = traceOf(event.callId, event, event.name);
        trace.startedAt = at;
        trace.attempt = event.attempt;
        break;
      }
      case 'tool_result_delta':
        if (event.progress) traceOf(event.callId, event).progress = event.progress;
        break;
      case 'tool_result_end': {
        const trace = traceOf(event.callId, event);
        trace.endedAt = at;
        trace.state = event.state;
        const wait = trace.waits.at(-1);
        if (wait) wait.to ??= at;
        break;
      }
      default:
    }
  }
  return traces;
}
