import type { DatabaseConnection, Dialect } from 'kysely';
import type { SessionRef } from '../../src/contracts/ids.ts';
import type { Store } from '../../src/store/store.ts';
import {
  allowedCall,
  closeTurn,
  openedTurn,
  result,
  step,
  textDelta,
  userMessage,
} from './sample-session.ts';

/** The dialect, with each statement that passes noted. */
export function recording(
  dialect: Dialect,
  note: (sql: string, parameters: readonly unknown[]) => void,
): Dialect {
  const known = new WeakSet<DatabaseConnection>();
  return {
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createDriver() {
      const driver = dialect.createDriver();
      const acquire = driver.acquireConnection.bind(driver);
      driver.acquireConnection = async (options) => {
        const connection = await acquire(options);
        if (known.has(connection)) return connection;
        known.add(connection);
        const execute = connection.executeQuery.bind(connection);
        connection.executeQuery = (query, more) => {
          note(query.sql, query.parameters);
          return execute(query, more);
        };
        return connection;
      };
      return driver;
    },
  };
}

/** Asks the store for everything that it can do. */
export async function useAll(store: Store): Promise<void> {
  const ref = await openedTurn(store, await openedChild(store));
  const cursor = (...key: unknown[]) => Buffer.from(JSON.stringify(key)).toString('base64url');
  await store.sessions.saveControl(ref, { queue: [] });
  await store.sessions.claim(ref, 'support');
  await store.sessions.release(ref);
  await store.sessions.enqueue(
    { ...ref, sessionId: 'new' },
    'support',
    { inputId: 'i', input: 'x' },
    { mayWait: true },
  );
  for (const filter of [
    {},
    { agent: 'a' },
    { state: 'idle' as const },
    { agent: 'a', state: 'idle' as const },
  ])
    for (const page of [{}, { cursor: cursor('2026', 1) }])
      await store.sessions.list(ref.owner, { ...filter, ...page });
  await store.messages.append(ref, [userMessage('1/steer/a', 'x')]);
  await store.messages.range(ref, 1, 2);
  await store.messages.outline(ref, 1, 2);
  await store.messages.get(ref, '1/input');
  await store.messages.list(ref, {});
  await store.events.appendEphemeral(ref, 1, '1/1', [textDelta('1/1', 'x')]);
  await store.calls.commitStep(step(ref, 1, [allowedCall('c1'), allowedCall('c2'), allowedCall('c3')]));
  await store.calls.step(ref, 1, 1);
  await store.calls.dispatch(ref, ['c1']);
  await store.calls.settle(ref, 'c1', result('c1', 'x'));
  await store.calls.move(ref, 'c2', { state: 'asking' });
  await store.calls.get(ref, 'c1');
  await store.calls.find(ref.owner, 'c1');
  await store.calls.ofTurn(ref, 1);
  await store.calls.open(ref.owner, {});
  await store.calls.open(ref.owner, { state: 'asking' });
  await store.events.appendDurable(ref, 1, [{ kind: 'interrupted', reason: 'x' }]);
  await store.events.read(ref, 0);
  await store.turns.setState(ref, 1, 'waiting', []);
  await store.turns.get(ref, 1);
  await store.turns.list(ref, {});
  await store.turns.list(ref, { cursor: cursor(3) });
  await store.turns.recentInputs(ref, 5);
  await store.blobs.put(ref, 'b', []);
  await store.blobs.get(ref, 'b');
  await store.blobs.remove(ref, 'b');
  await store.sessions.ancestors(ref);
  await store.sessions.children(ref, {});
  await store.calls.openBelow(ref);
  await closeTurn(store, ref, 1);
  await store.sessions.setLineage(ref, undefined);
  await store.usage.list(ref.owner, '2026-01-01', '2026-02-01');
  const { id } = await store.apiKeys.create({
    id: 'k',
    owner: ref.owner,
    hash: 'h',
    name: 'n',
    scopes: [],
    roles: [],
  });
  await store.apiKeys.get(id);
  await store.apiKeys.list(ref.owner, {});
  await store.apiKeys.touch(id, '2026');
  await store.apiKeys.revoke(ref.owner, id);
  await store.apiKeys.hasAny();
  await store.sessions.erase(ref);
}

/** Below another one, which gets copies of its events. */
async function openedChild(store: Store): Promise<SessionRef> {
  const parent = await openedTurn(store);
  const ref = { ...parent, sessionId: 'child' };
  await store.sessions.open(ref, 'support', {
    parent: parent.sessionId,
    kind: 'subagent',
    name: 'child',
    relay: 'all',
  });
  return ref;
}
