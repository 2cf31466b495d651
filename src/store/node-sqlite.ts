import type * as NodeSqlite from 'node:sqlite';

/**
 * Node's own SQLite. Loading it warns that it is experimental: true, but nothing that a user of ours can act on, so this one warning
 * is held back.
 */
export const { DatabaseSync } = loadQuietly();
export type DatabaseSync = NodeSqlite.DatabaseSync;
export type StatementSync = NodeSqlite.StatementSync;
export type SQLInputValue = NodeSqlite.SQLInputValue;

function loadQuietly(): typeof NodeSqlite {
  const warning = Object.getOwnPropertyDescriptor(process, 'emitWarning');
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    if (warning) Object.defineProperty(process, 'emitWarning', warning);
  }
}
