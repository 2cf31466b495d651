import type { CallContext, Tool, ToolContext } from '../../src/tools/tool.ts';
import { memorySlots } from '../../src/tools/memory-slots.ts';

/** A tool made by hand, as anyone may make one. */
export function aTool(overrides: Partial<Tool> = {}): Tool {
  return {
    name: 'refund_order',
    description: 'Refund an order',
    parameters: { type: 'object', properties: {} },
    validate: async (args) => ({ ok: true, value: args }),
    isReadOnly: () => false,
    isConcurrencySafe: () => false,
    isIdempotent: false,
    isExternal: false,
    returnDirect: false,
    timeoutMs: 60_000,
    maxAttempts: 1,
    checkPermission: async () => undefined,
    execute: async () => 'ok',
    ...overrides,
  };
}

export function aCall(overrides: Partial<CallContext> = {}): CallContext {
  return {
    owner: 'acme',
    sessionId: 'case-42',
    turnId: 'turn/acme/case-42/1',
    callId: 'c1',
    idempotencyKey: 'k1',
    attempt: 1,
    signal: new AbortController().signal,
    slots: memorySlots(),
    ...overrides,
  };
}

/** What `execute` gets of a call that nobody watches. */
export function aToolContext(overrides: Partial<CallContext> = {}): ToolContext {
  return {
    ...aCall(overrides),
    progress: () => undefined,
    spend: () => undefined,
    ask: async () => ({ kind: 'nobody' }),
    preset: {},
  };
}
