/** Somebody who answers or asks. `roles` are what the transport knows of them. */
export interface Actor {
  /** Compared to the letter everywhere: `Ann` and `ann` are two people, so a transport gives each person one spelling. */
  id: string;
  roles?: readonly string[];
}

/** A name is short for `{ id: name }`. */
export function toActor(actor: Actor | string | undefined): Actor | undefined {
  return typeof actor === 'string' ? { id: actor } : actor;
}

const maxActorIdLength = 200;

export const actorIdRule = `a text of 1 to ${maxActorIdLength} characters, with no space before or after it`;

/** Spaces around a name would make two people of one. */
export function isActorId(id: unknown): id is string {
  return typeof id === 'string' && id !== '' && id === id.trim() && id.length <= maxActorIdLength;
}

/** Who put text into a turn: by its input, or by steering it. */
export interface Requesters {
  known: readonly string[];
  /** Somebody did who gave no name. */
  hasUnknown: boolean;
}

/** Who may answer a gate. */
export interface ApprovalPolicy {
  /**
   * - `anyone`: whoever may approve for the owner (default).
   * - `requester`: only who asked for it: by the turn's input, or by steering the turn.
   * - `not_requester`: anyone but them (four eyes). Who edits the arguments asks for the edited call, so that others must allow that one.
   * - people and roles: those named, or whoever has one of the roles.
   */
  by?: 'anyone' | 'requester' | 'not_requester' | { people?: readonly string[]; roles?: readonly string[] };
  /** How many different people must allow the call before it runs. One denial is enough. Default 1. */
  count?: number;
}

/** One answer of anybody opens the gate, so that it may stand for others as well. */
export function isOneAnswerEnough({ by = 'anyone', count = 1 }: ApprovalPolicy = {}): boolean {
  return by === 'anyone' && count <= 1;
}

/** Why this person may not answer; undefined when they may. */
export function whyMayNotAnswer(
  policy: ApprovalPolicy | undefined,
  actor: Actor | undefined,
  requesters: Requesters,
): string | undefined {
  const by = policy?.by ?? 'anyone';
  if (!isOneAnswerEnough(policy) && !actor)
    return 'its approval policy needs to know who answers: name an actor';
  if (by === 'anyone') return undefined;
  const { known, hasUnknown } = requesters;
  const hasAsked = actor !== undefined && known.includes(actor.id);
  if (by === 'requester')
    return hasAsked
      ? undefined
      : `only who asked for it (${known.length === 0 ? 'unknown' : known.join(', ')}) may answer`;
  if (by === 'not_requester') {
    if (hasAsked) return 'who asked for it may not answer it';
    return hasUnknown
      ? 'who asked for it may not answer it, and not all who did are known: somebody wrote into this turn without a name'
      : undefined;
  }
  const isNamed = by.people?.includes(actor?.id ?? '') === true;
  const hasRole = by.roles?.some((role) => actor?.roles?.includes(role)) === true;
  if (isNamed || hasRole) return undefined;
  return `only ${[...(by.people ?? []), ...(by.roles ?? []).map((role) => `role ${role}`)].join(', ')} may answer`;
}

/**
 * How many different people must allow a call with these arguments. Under four eyes whoever edits them proposes the edited call, and does
 * not count among those who approve it.
 */
export function votesNeeded(policy: ApprovalPolicy | undefined, isEdited: boolean): number {
  const { by, count = 1 } = policy ?? {};
  return by === 'not_requester' && isEdited ? count + 1 : count;
}

/** People whom a turn knows by name: with more of them, not all are known. */
export const knownRequesters = 100;

/** The requesters with one more; without a name they are not all known any more. */
export function withRequester(requesters: Requesters, id: string | undefined): Requesters {
  return withRequesters(requesters, id === undefined ? undefined : { known: [id], hasUnknown: false });
}

/** All who are in one of the two; where one is missing, not all are known. */
export function withRequesters(requesters: Requesters, others: Requesters | undefined): Requesters {
  const known = [...new Set([...requesters.known, ...(others?.known ?? [])])];
  return {
    known: known.slice(0, knownRequesters),
    hasUnknown: requesters.hasUnknown || (others?.hasUnknown ?? true) || known.length > knownRequesters,
  };
}

/** What happens when nobody answers in time. */
export interface GateDeadline {
  afterMs: number;
  /** `deny` the call, `escalate` it to other people, or `wait` on and remind. */
  action: 'deny' | 'escalate' | 'wait';
  /** Who may answer once it is escalated. */
  escalateTo?: ApprovalPolicy;
}
