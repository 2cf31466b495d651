/** Names one session of one owner. Neither part may hold a slash: both are parts of workflow ids. */
export interface SessionRef {
  owner: string;
  sessionId: string;
}

const idPattern = /^[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}$/;

/** True for what may be an owner, a session id or an agent name: 1 to 128 characters, none of them a slash or a space. */
export function isValidId(value: string): boolean {
  return idPattern.test(value);
}

export const idRule = '1 to 128 characters: letters, digits, and . _ : @ - after the first';

export function sessionWorkflowId(ref: SessionRef): string {
  return `session/${ref.owner}/${ref.sessionId}`;
}

/** A turn's workflow id is its turn id everywhere. `turn` counts from 1 in its session. */
export function turnIdOf(ref: SessionRef, turn: number): string {
  return `turn/${ref.owner}/${ref.sessionId}/${turn}`;
}

export function parseTurnId(turnId: string): { ref: SessionRef; turn: number } | undefined {
  const [kind, owner, sessionId, turn, ...rest] = turnId.split('/');
  if (kind !== 'turn' || !owner || !sessionId || !turn || rest.length > 0 || !/^\d+$/.test(turn))
    return undefined;
  return { ref: { owner, sessionId }, turn: Number(turn) };
}
