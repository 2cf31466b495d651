import type { Block, Msg } from '../../schema/message.ts';
import type { MessageRow } from './schema.ts';

type Detail = Pick<Msg, 'name' | 'createdAt' | 'model' | 'finishReason' | 'usage'>;

export function toMessageRow(session: number, message: Msg): MessageRow {
  const { id, seq, turn, step, role, content, ...detail } = message;
  const json = JSON.stringify(content);
  return {
    session,
    seq,
    id,
    turn,
    step,
    role,
    tokens: Math.ceil(Buffer.byteLength(json) / 4),
    detail: JSON.stringify(detail satisfies Detail),
    content: json,
  };
}

export const messageColumns = ['seq', 'id', 'turn', 'step', 'role', 'detail', 'content'] as const;

export function toMessage(row: Pick<MessageRow, (typeof messageColumns)[number]>): Msg {
  return {
    id: row.id,
    seq: row.seq,
    turn: row.turn,
    step: row.step,
    role: row.role,
    ...(JSON.parse(row.detail) as Detail),
    content: JSON.parse(row.content) as Block[],
  };
}
