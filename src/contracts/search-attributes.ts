import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';

/** What a person filters by in Temporal Web. A cluster must have them registered: docs/operations.md. */
export const searchAttributes = {
  owner: defineSearchAttributeKey('DurascopeOwner', SearchAttributeType.KEYWORD),
  agent: defineSearchAttributeKey('DurascopeAgent', SearchAttributeType.KEYWORD),
  session: defineSearchAttributeKey('DurascopeSession', SearchAttributeType.KEYWORD),
  state: defineSearchAttributeKey('DurascopeState', SearchAttributeType.KEYWORD),
  /** How many gates are open. */
  gates: defineSearchAttributeKey('DurascopeGates', SearchAttributeType.INT),
} as const;
