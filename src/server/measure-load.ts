import type { Meter } from '@opentelemetry/api';
import type { Durascope } from '../client/client.ts';

/** What waits, asked for when somebody reads the metrics. */
export function measureLoad(client: Pick<Durascope, 'load'>, meter: Meter): void {
  const gates = meter.createObservableGauge('durascope_gates_waiting', {
    description: 'Calls that wait at a gate now, of all owners, by state',
  });
  const queued = meter.createObservableGauge('durascope_tasks_queued', {
    description: 'Tasks that no worker has taken yet, about, by kind',
  });
  meter.addBatchObservableCallback(
    async (observed) => {
      const load = await client.load().catch(() => undefined);
      if (!load) return;
      for (const [state, count] of Object.entries(load.gates)) observed.observe(gates, count, { state });
      for (const [kind, count] of Object.entries(load.queued)) observed.observe(queued, count, { kind });
    },
    [gates, queued],
  );
}
