import { sessionWorkflowId, turnIdOf } from '../../src/contracts/ids.ts';
import type { Row } from '../support/figure.ts';
import { runsOf } from '../support/history.ts';
import type { Stage } from '../support/stage.ts';
import { reportsEach } from '../support/team-script.ts';

/** Events of one run, of 51,200 at which Temporal ends it. */
const tenthOfLimit = 5_120;

/** A leader whose workers all report to it: what arrives, and what that costs the leader's history. */
export async function reports(stage: Stage): Promise<Row[]> {
  const workers = stage.isQuick ? 4 : 200;
  const expected = workers * reportsEach;
  const session = await stage.session(stage.newName(), 'bench-leader');
  const begin = performance.now();
  await session.submit(String(workers));
  const counts = new Map<string, number>();
  let total = 0;
  for await (const event of session.events()) {
    if (event.kind !== 'team_message' || event.path) continue;
    const key = `${event.from}: ${event.text}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    total += 1;
    if (total >= expected) break;
  }
  const seconds = (performance.now() - begin) / 1000;
  // The last of them are read by a turn that ends soon.
  const { lastTurn = 0 } = (await session.get()) ?? {};
  await session.turn(lastTurn).result();
  const once = [...counts.values()].filter((count) => count === 1).length;
  return [
    {
      figure: `reports of ${workers} workers that arrived once`,
      unit: 'messages',
      measured: once,
      target: { atLeast: expected },
    },
    {
      figure: "longest run of the leader's session or turns",
      unit: 'events',
      measured: await longestRun(stage, session.owner, session.id, lastTurn),
      target: { atMost: tenthOfLimit },
    },
    {
      figure: `all ${expected} reports, from the leader's input`,
      unit: 's',
      measured: seconds,
      target: { atMost: 600 },
    },
  ];
}

async function longestRun(stage: Stage, owner: string, sessionId: string, turns: number): Promise<number> {
  const ref = { owner, sessionId };
  const ids = [sessionWorkflowId(ref), ...Array.from({ length: turns }, (_, i) => turnIdOf(ref, i + 1))];
  let longest = 0;
  for (const id of ids)
    for (const { events } of await runsOf(stage.temporal, id)) longest = Math.max(longest, events.length);
  return longest;
}
