import { fileURLToPath } from 'node:url';
import { DurascopeClient, type Durascope } from '../../src/client/index.ts';
import { openStore } from '../../src/store/open-store.ts';
import { says, ScriptedModel } from '../../src/testing/index.ts';
import { hasPostgres, startPostgres } from '../../test/support/postgres.ts';
import { startChild, type Child } from '../support/child.ts';
import type { Figure, Row } from '../support/figure.ts';
import { firstTokenDelay } from '../support/first-token-delay.ts';
import type { Stage } from '../support/stage.ts';
import { compare, interleaved, median } from '../support/statistics.ts';

const apiFile = fileURLToPath(new URL('../support/api-process.ts', import.meta.url));

/** What the HTTP API costs: worker, API and subscriber are three processes. */
export const service: Figure = {
  name: 'service',
  async measure(stage) {
    const rows = await onStore(stage, stage.storeUrl, 'SQLite');
    if (!hasPostgres()) return rows;
    const postgres = await startPostgres();
    try {
      return [...rows, ...(await onStore(stage, await postgres.createDatabase(), 'PostgreSQL'))];
    } finally {
      await postgres.stop();
    }
  },
};

async function onStore(stage: Stage, storeUrl: string, name: string): Promise<Row[]> {
  const taskQueue = stage.newName();
  const model = await ScriptedModel.start();
  const worker = await stage.startWorker({ taskQueue, storeUrl, modelUrl: model.baseUrl });
  const api = await startChild(
    apiFile,
    { address: stage.address, taskQueue, storeUrl },
    { execArgv: ['--expose-gc'] },
  );
  try {
    const url = String(api.hello);
    const client = await DurascopeClient.connect({ baseUrl: url });
    return [
      await tokenDelay(stage, client, model, name),
      ...(await submission(stage, url, model, name)),
      await subscribers(stage, client, api, name),
      ...(await lists(stage, url, storeUrl, name)),
    ];
  } finally {
    await api.stop();
    await worker.stop();
    await model.stop();
  }
}

/** From the moment at which the endpoint, in this process, writes the first token, to its event at a subscriber over HTTP. */
async function tokenDelay(stage: Stage, client: Durascope, model: ScriptedModel, name: string): Promise<Row> {
  const delays: number[] = [];
  const session = client.session({ owner: 'bench', id: stage.newName(), agent: 'usual' });
  for (let round = 0; round < (stage.isQuick ? 2 : 25); round += 1)
    delays.push(await firstTokenDelay(session, model));
  return {
    figure: `first token to a subscriber over HTTP, ${name}`,
    unit: 'ms',
    measured: median(delays.slice(1)),
    target: { atMost: name === 'SQLite' ? 25 : 60 },
  };
}

/** An input to a new session, and one to a session whose workflow has it in hand, against a signal to a workflow of its own. */
async function submission(stage: Stage, url: string, model: ScriptedModel, name: string): Promise<Row[]> {
  model.answers(() => says('x'));
  const queue = await stage.floorQueue();
  const submit = async (session: string): Promise<string> => {
    const response = await fetch(`${url}/v1/sessions/${session}/turns`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ agent: 'usual', input: 'x' }),
    });
    if (response.status !== 202) throw new Error(await response.text());
    return ((await response.json()) as { turnId: string }).turnId;
  };
  const ended = async (turnId: string): Promise<void> => {
    await (await fetch(`${url}/v1/turns/${turnId}?wait=60&until=end`)).arrayBuffer();
  };
  let session = '';
  let turnId = '';
  const { fresh, again, floor } = await interleaved(stage.isQuick ? 2 : 40, {
    fresh: async () => {
      session = stage.newName();
      const time = await timed(async () => (turnId = await submit(session)));
      await ended(turnId);
      return time;
    },
    again: async () => {
      const time = await timed(async () => (turnId = await submit(session)));
      await ended(turnId);
      return time;
    },
    floor: () =>
      timed(() =>
        stage.temporal.workflow.signalWithStart('bareTurn', {
          workflowId: `floor/${stage.newName()}`,
          taskQueue: queue,
          args: [0, 0],
          signal: 'submit',
          signalArgs: ['x'],
        }),
      ),
  });
  const against = { name: 'signal-with-start', values: floor.slice(1) };
  return [
    {
      figure: `POST …/turns, ${name}`,
      unit: 'ms',
      ...compare(fresh.slice(1), against),
      target: { atMost: 2 },
    },
    {
      figure: `POST …/turns, session under way, ${name}`,
      unit: 'ms',
      ...compare(again.slice(1), against),
      target: { atMost: 2 },
    },
  ];
}

async function subscribers(stage: Stage, client: Durascope, api: Child, name: string): Promise<Row> {
  const count = stage.isQuick ? 20 : 1_000;
  const session = client.session({ owner: 'bench', id: stage.newName(), agent: 'usual' });
  await session.open();
  const path = `${String(api.hello)}/v1/sessions/${session.id}/events`;
  const before = await api.call<number>('memory');
  const stop = new AbortController();
  for (let opened = 0; opened < count; opened += 50) {
    const some = Array.from({ length: Math.min(50, count - opened) }, async () => {
      const response = await fetch(path, { signal: stop.signal });
      // The first bytes: it follows.
      await response.body?.getReader().read();
    });
    await Promise.all(some);
  }
  const measured = (await api.call<number>('memory')) - before;
  stop.abort();
  return {
    figure: `memory of ${count} idle subscribers, ${name}`,
    unit: 'MB',
    measured,
    target: { atMost: 150 },
  };
}

async function lists(stage: Stage, url: string, storeUrl: string, name: string): Promise<Row[]> {
  const count = stage.isQuick ? 200 : 10_000;
  const content = await openStore(storeUrl);
  const ids = Array.from({ length: count }, () => stage.newName());
  for (const sessionId of ids)
    await content.store.sessions.open(
      { owner: 'bench', sessionId },
      Number(sessionId.at(-1)) % 2 ? 'usual' : 'wide',
    );
  await content.close();
  const pages = ['', '?limit=200', '?agent=wide', '?state=idle', '?agent=wide&state=idle', '?state=waiting'];
  const slowest: number[] = [];
  for (const page of pages) {
    const times: number[] = [];
    let cursor: string | undefined;
    for (let round = 0; round < 12; round += 1) {
      const next = cursor === undefined ? page : `${page}${page === '' ? '?' : '&'}cursor=${cursor}`;
      times.push(
        await timed(async () => {
          const answer = await fetch(`${url}/v1/sessions${next}`);
          ({ nextCursor: cursor } = (await answer.json()) as { nextCursor?: string });
        }),
      );
    }
    slowest.push(median(times));
  }
  return [
    {
      figure: `slowest page of a list among ${count} sessions, ${name}`,
      unit: 'ms',
      measured: Math.max(...slowest),
      target: { atMost: 50 },
    },
  ];
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await act();
  return performance.now() - begin;
}
