import { openStore } from '../../src/store/open-store.ts';

/** Run as a process of its own: `write-events.ts URL OWNER SESSION COUNT` appends that many durable events to turn 1, one a transaction. */
const [, , url = '', owner = '', sessionId = '', count = '1'] = process.argv;
const { store, close } = await openStore(url);
for (let i = 1; i <= Number(count); i++)
  await store.events.appendDurable({ owner, sessionId }, 1, [{ kind: 'interrupted', reason: `other ${i}` }]);
await close();
