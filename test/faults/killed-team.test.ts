import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Session } from '../../src/client/index.ts';
import { calls, says, type ScriptedRequest, type Step } from '../../src/testing/index.ts';
import { startStack, type Stack } from '../support/stack.ts';
import { openWorker, placeOf, type OpenWorker } from './open-worker.ts';
import { spawnWorker } from './spawn-worker.ts';
import { teamLead } from './team-agents.ts';

const workers = ['ann', 'bob', 'cid'];
const reportsEach = 4;
const everyReport = workers.flatMap((name) => Array.from({ length: reportsEach }, (_, i) => `${name} ${i}`));

let folder: string;
let stack: Stack;
let survivor: OpenWorker | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durascope-faults-'));
  stack = await startStack({ agents: [teamLead], isStarted: false });
  stack.model.answers(reply);
});
afterAll(async () => {
  await survivor?.stop();
  await stack.stop();
  await rm(folder, { recursive: true, force: true });
});

/** By the conversation alone: a step that is asked for again is answered alike. */
function reply(request: ScriptedRequest): Step {
  const { system, messages } = request;
  const me = /You are (\w+), a member/.exec(system)?.[1];
  if (me !== undefined) {
    const sent = request.results('team_say').length;
    return sent < reportsEach
      ? calls('team_say', { content: `${me} ${sent}`, to: 'leader' })
      : says('All is reported.');
  }
  if (!messages.some(({ toolName }) => toolName === 'team_create'))
    return calls('team_create', { name: 'press', description: 'Reports' });
  if (!messages.some(({ toolName }) => toolName === 'agent_create'))
    return calls(
      workers.map(
        (name) =>
          ['agent_create', { name, template: 'reporter', description: 'Reports', prompt: 'Go.' }] as const,
      ),
    );
  return says('Noted.');
}

async function reportsTo(leader: Session): Promise<string[]> {
  const { items } = await leader.messages({ limit: 200 });
  return items.flatMap(({ content }) =>
    content.flatMap((block) => (block.type === 'hint' && block.from ? block.text : [])),
  );
}

describe('a team whose worker processes are killed', () => {
  it('loses no message, takes none twice, and keeps each sender’s order', { timeout: 180_000 }, async () => {
    const place = placeOf(stack);
    const kills = fc.uniqueArray(fc.nat(everyReport.length - 2), { minLength: 2, maxLength: 2 });
    await fc.assert(
      fc.asyncProperty(kills, async (moments) => {
        const leader = stack.session(teamLead, 'killed');
        const begun = leader.submit('Have it reported');
        const limit = { timeout: 90_000, interval: 20 };
        for (const moment of moments.toSorted((a, b) => a - b)) {
          const worker = await spawnWorker({ place, effectsFile: join(folder, 'effects') });
          await expect
            .poll(
              async () => (await leader.get().catch(() => undefined)) && (await reportsTo(leader)).length,
              limit,
            )
            .toBeGreaterThanOrEqual(moment);
          worker.kill('SIGKILL');
          expect(await worker.ended).toBe('SIGKILL');
        }
        survivor = await openWorker(place, { agents: [teamLead] });
        await begun;
        await expect.poll(() => reportsTo(leader), limit).toHaveLength(everyReport.length);
        const reports = await reportsTo(leader);
        for (const name of workers)
          expect(reports.filter((text) => text.startsWith(name))).toEqual(
            everyReport.filter((text) => text.startsWith(name)),
          );
        // Nothing comes after them: no reminder was due, and no repeat is on its way.
        await expect
          .poll(async () => (await leader.team())?.members.every(({ state }) => state === 'idle'), limit)
          .toBe(true);
        expect(await reportsTo(leader)).toHaveLength(everyReport.length);
      }),
      { numRuns: 1 },
    );
  });
});
