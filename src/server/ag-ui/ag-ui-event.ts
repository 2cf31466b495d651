import type { Json } from '../../schema/message.ts';

/** An event of AG-UI 1.0 (docs.ag-ui.com/spec/1.0/events). */
export type AgUiEvent = { type: string } & Record<string, Json | undefined>;

/** What the protocol has no event for. */
export function customEvent(name: string, value: unknown, subagentRunId?: string): AgUiEvent {
  return {
    type: 'CUSTOM',
    name: `durascope.${name}`,
    value: value as Json,
    ...(subagentRunId === undefined ? {} : { subagentRunId }),
  };
}
