import { metrics } from '@opentelemetry/api';

/*
 * Measured by the OpenTelemetry API: without a meter provider in the process it costs nothing and goes nowhere. The command line installs one
 * that Prometheus reads (src/metrics/prometheus.ts); an application that has its own gets these figures in it.
 */

const meterName = 'durascope';
/** Seconds: model calls take minutes, reads of the store milliseconds. */
const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

/** What a server measures. Asked for when a server is made, so that a provider that was installed before counts. */
export function serverMeters() {
  const meter = metrics.getMeter(meterName);
  return {
    meter,
    requests: meter.createHistogram('durascope_http_request_duration', {
      unit: 's',
      description: 'Time to the answer, for streams to their begin, by operation and status',
      advice: { explicitBucketBoundaries: seconds },
    }),
    problems: meter.createCounter('durascope_http_problems', {
      description: 'Answers that were refusals, by operation and code',
    }),
    streams: meter.createUpDownCounter('durascope_event_streams', {
      description: 'Event streams that are open',
    }),
  };
}

/** What a worker measures. */
export function workerMeters() {
  const meter = metrics.getMeter(meterName);
  const duration = (what: string, description: string) =>
    meter.createHistogram(`durascope_${what}_duration`, {
      unit: 's',
      description,
      advice: { explicitBucketBoundaries: seconds },
    });
  return {
    turns: meter.createCounter('durascope_turns', { description: 'Turns that ended, by agent and reason' }),
    turnTokens: meter.createCounter('durascope_turn_tokens', {
      description: 'Tokens of turns that ended, by agent and kind',
    }),
    steps: meter.createCounter('durascope_steps', {
      description: 'Model calls that were committed, by agent',
    }),
    calls: meter.createCounter('durascope_tool_calls', {
      description: 'Tool calls that ran, by agent and state',
    }),
    gates: meter.createCounter('durascope_gates_opened', {
      description: 'Calls that began to wait, by agent',
    }),
    errors: meter.createCounter('durascope_activity_errors', {
      description: 'Attempts of activities that failed, by activity and class',
    }),
    activities: duration(
      'activity',
      'Time of one attempt of an activity, by activity: callModel, runTools …',
    ),
  };
}
