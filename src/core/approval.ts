/** Somebody who answers or asks. `roles` are what the transport knows of them. */
export interface Actor {
  id: string;
  roles?: readonly string[];
}

/** Who may answer a gate. */
export interface ApprovalPolicy {
  /**
   * - `anyone`: whoever may approve for the owner (default).
   * - `requester`: only who submitted the turn's input.
   * - `not_requester`: anyone but them (four eyes).
   * - people and roles: those named, or whoever has one of the roles.
   */
  by?: 'anyone' | 'requester' | 'not_requester' | { people?: readonly string[]; roles?: readonly string[] };
  /** How many different people must allow the call before it runs. One denial is enough. Default 1. */
  count?: number;
}

/** Why this person may not answer; undefined when they may. */
export function whyMayNotAnswer(
  policy: ApprovalPolicy | undefined,
  actor: Actor | undefined,
  requester: string | undefined,
): string | undefined {
  const by = policy?.by ?? 'anyone';
  const needsName = by !== 'anyone' || (policy?.count ?? 1) > 1;
  if (needsName && !actor) return 'its approval policy needs to know who answers: name an actor';
  if (by === 'anyone') return undefined;
  if (by === 'requester')
    return actor?.id === requester
      ? undefined
      : `only who asked for it (${requester ?? 'unknown'}) may answer`;
  if (by === 'not_requester') {
    if (requester === undefined) return 'nobody but the requester may answer, and the requester is not known';
    return actor?.id === requester ? 'who asked for it may not answer it' : undefined;
  }
  const isNamed = by.people?.includes(actor?.id ?? '') === true;
  const hasRole = by.roles?.some((role) => actor?.roles?.includes(role)) === true;
  if (isNamed || hasRole) return undefined;
  return `only ${[...(by.people ?? []), ...(by.roles ?? []).map((role) => `role ${role}`)].join(', ')} may answer`;
}

/** What happens when nobody answers in time. */
export interface GateDeadline {
  afterMs: number;
  /** `deny` the call, `escalate` it to other people, or `wait` on and remind. */
  action: 'deny' | 'escalate' | 'wait';
  /** Who may answer once it is escalated. */
  escalateTo?: ApprovalPolicy;
}
