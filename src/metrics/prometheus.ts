import { metrics } from '@opentelemetry/api';
import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { AggregationTemporality, MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';

/** Reads all that is measured when it is asked to. */
class PullReader extends MetricReader {
  constructor() {
    super({ aggregationTemporalitySelector: () => AggregationTemporality.CUMULATIVE });
  }
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

/** Makes this process keep what is measured. Returns what renders it as Prometheus reads it. */
export function installPrometheus(): () => Promise<string> {
  const reader = new PullReader();
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
  const serializer = new PrometheusSerializer(undefined, false, undefined, true, true);
  return async () => {
    const { resourceMetrics } = await reader.collect();
    // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- each entry of that package declares the enums anew
    return serializer.serialize(resourceMetrics);
  };
}
