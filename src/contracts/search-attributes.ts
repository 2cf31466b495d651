/**
 * What a person filters by in Temporal Web, as typed search attribute keys. A cluster must have them registered: docs/operations.md.
 *
 * Plain literals: the type that `defineSearchAttributeKey` returns can't be named in a declaration file, and would reach users as `any`.
 */
export const searchAttributes = {
  owner: { name: 'DurascopeOwner', type: 'KEYWORD' },
  agent: { name: 'DurascopeAgent', type: 'KEYWORD' },
  session: { name: 'DurascopeSession', type: 'KEYWORD' },
  state: { name: 'DurascopeState', type: 'KEYWORD' },
  /** How many gates are open. */
  gates: { name: 'DurascopeGates', type: 'INT' },
} as const;
