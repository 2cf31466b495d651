import pc from 'picocolors';
import type { PendingCall, Session } from '../client/index.ts';
import type { Msg } from '../schema/message.ts';
import type { AuditEntry } from '../store/call-store.ts';
import { argumentDiff, argumentsOf } from './argument-diff.ts';

/** A call was decided on with other arguments than the transcript shows, which keeps what the model proposed. */
export interface Edit {
  callId: string;
  /** Without the values of secret fields. */
  arguments: string;
  /** Who wrote them. */
  actor?: string;
}

/** The edits of the calls in these messages. What waits has none yet: others may not agree. */
export async function editsOf(
  session: Session,
  messages: readonly Msg[],
  pending: readonly PendingCall[],
): Promise<Edit[]> {
  const asking = new Set(pending.filter(({ state }) => state === 'asking').map(({ callId }) => callId));
  const calls = messages
    .flatMap(({ content }) => content.filter((block) => block.type === 'tool_call'))
    .filter(({ id }) => !asking.has(id));
  const edits = await Promise.all(
    calls.map(async ({ id }) => editAmong((await session.audit({ callId: id })).items)),
  );
  return edits.filter((edit) => edit !== undefined);
}

/** The edit that holds, among the decisions about one call, oldest first. Pure. */
export function editAmong(decisions: readonly AuditEntry[]): Edit | undefined {
  const [proposal, last] = [decisions[0], decisions.at(-1)];
  if (!proposal || !last || !isEdited(proposal, last)) return undefined;
  const { callId, arguments: args } = last;
  const editor = decisions.find((entry) => entry.by === 'person' && entry.arguments === args);
  return { callId, arguments: args, ...(editor?.actor === undefined ? {} : { actor: editor.actor }) };
}

/** The same values may be written in several ways. */
function isEdited(proposal: AuditEntry, last: AuditEntry): boolean {
  return (
    argumentDiff(argumentsOf(proposal), argumentsOf(last), { colors: pc.createColors(false) }).length > 0
  );
}
