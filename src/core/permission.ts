/** What is decided about a call before it runs. `ask` opens a gate. */
export type PermissionBehavior = 'allow' | 'ask' | 'deny';

export interface PermissionDecision {
  behavior: PermissionBehavior;
  reason: string;
}

/** What the engine knows of a call: facts that the tool states about itself and this input. */
export interface PermissionFacts {
  toolName: string;
  isReadOnly: boolean;
  /** The tool's own verdict on this input; absent when it has none. */
  check?: PermissionDecision;
}

/** Read-only calls pass, then the tool's own check decides, else a person is asked. */
export function decidePermission(facts: PermissionFacts): PermissionDecision {
  if (facts.isReadOnly) return { behavior: 'allow', reason: `${facts.toolName} only reads` };
  return (
    facts.check ?? {
      behavior: 'ask',
      reason: `${facts.toolName} may change something and states no permission`,
    }
  );
}
