import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { DatabaseSync } from '../../src/store/node-sqlite.ts';
import { toStoreFailure } from '../../src/store/store-failure.ts';
import { StoreUnavailableError } from '../../src/store/store-errors.ts';

const folder = mkdtempSync(join(tmpdir(), 'durascope-failure-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('toStoreFailure', () => {
  it.each([
    ['a refused connection', { code: 'ECONNREFUSED' }],
    ['a name that does not resolve now', { code: 'EAI_AGAIN' }],
    ['a connection failure of the protocol', { code: '08006' }],
    ['a server that shuts down', { code: '57P01' }],
    ['a server that starts up', { code: '57P03' }],
    ['too many connections', { code: '53300' }],
    ['a deadlock', { code: '40P01' }],
    ['a primary that became a replica', { code: '25006' }],
    ['a full disk of SQLite', { code: 'ERR_SQLITE_ERROR', errcode: 13 }],
    ['an I/O error of SQLite, extended code', { code: 'ERR_SQLITE_ERROR', errcode: 10 | (3 << 8) }],
  ])('tells %s as an outage, with its cause', (_, fields) => {
    const cause = Object.assign(new Error('as the driver says it'), fields);
    const failure = toStoreFailure(cause);
    expect(failure).toBeInstanceOf(StoreUnavailableError);
    expect(failure).toMatchObject({ code: 'StoreUnavailable', cause });
  });

  it.each([
    'Connection terminated unexpectedly',
    'timeout exceeded when trying to connect',
    'Query read timeout',
  ])('knows what pg says without a code: %s', (message) =>
    expect(toStoreFailure(new Error(message))).toBeInstanceOf(StoreUnavailableError),
  );

  it('looks into a connection attempt to several addresses', () => {
    const refused = Object.assign(new Error(''), { code: 'ECONNREFUSED' });
    const failure = toStoreFailure(new AggregateError([refused, refused]));
    expect(failure).toBeInstanceOf(StoreUnavailableError);
    expect(String(failure)).toContain('ECONNREFUSED');
  });

  it('tells a locked SQLite file as an outage', () => {
    const path = join(folder, 'locked.db');
    const [holder, waiter] = [new DatabaseSync(path), new DatabaseSync(path)];
    holder.exec('begin immediate');
    expect(failureOf(() => waiter.exec('begin immediate'))).toBeInstanceOf(StoreUnavailableError);
    holder.close();
    waiter.close();
  });

  it.each([
    ['a broken constraint', Object.assign(new Error('unique'), { code: '23505' })],
    ['a wrong password', Object.assign(new Error('password'), { code: '28P01' })],
    ['a bug', new TypeError('undefined is not a function')],
  ])('leaves %s as it is', (_, error) => expect(toStoreFailure(error)).toBe(error));
});

function failureOf(act: () => void): unknown {
  try {
    act();
    return undefined;
  } catch (error) {
    return toStoreFailure(error);
  }
}
