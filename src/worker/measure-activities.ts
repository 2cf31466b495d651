import type { createActivities } from '../activities/create-activities.ts';
import { workerMeters } from '../metrics/meters.ts';

type Activities = ReturnType<typeof createActivities>;
type Meters = ReturnType<typeof workerMeters>;

/** The activities, each measured: how long an attempt takes, what it fails of, and what turns and steps come to. */
export function measureActivities(activities: Activities): Activities {
  const meters = workerMeters();
  const measured = Object.entries(activities).map(
    ([name, run]) => [name, measure(meters, name, run as (input: unknown) => Promise<unknown>)] as const,
  );
  const all = Object.fromEntries(measured) as unknown as Activities;
  return {
    ...all,
    async callModel(input) {
      const digest = await all.callModel(input);
      meters.steps.add(1, { agent: input.agent });
      return digest;
    },
    async runTools(input) {
      const changes = await all.runTools(input);
      for (const { state } of changes) meters.calls.add(1, { agent: input.agent, state });
      return changes;
    },
    async openGates(input) {
      await all.openGates(input);
      meters.gates.add(input.callIds.length, { agent: input.agent });
    },
    async closeTurn(input) {
      const hasOthers = await all.closeTurn(input);
      const { agent, result } = input;
      meters.turns.add(1, { agent, finish_reason: result.finishReason });
      meters.turnTokens.add(result.usage?.inputTokens ?? 0, { agent, kind: 'input' });
      meters.turnTokens.add(result.usage?.outputTokens ?? 0, { agent, kind: 'output' });
      return hasOthers;
    },
  };
}

function measure<T>(meters: Meters, activity: string, run: (input: T) => Promise<unknown>) {
  return async (input: T): Promise<unknown> => {
    const begin = performance.now();
    try {
      return await run(input);
    } catch (error) {
      meters.errors.add(1, { activity, class: classOf(error) });
      throw error;
    } finally {
      meters.activities.record((performance.now() - begin) / 1_000, { activity });
    }
  };
}

/** The code of a failure that we made, else the class of the error. */
function classOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'type' in error && typeof error.type === 'string' ? error.type : error.name;
}
