import type { PermissionMode, PermissionPolicy, PermissionRule } from './permission.ts';

/** What a session that an agent began takes over from the one that asked for it. */
export interface InheritedPermissions {
  /** Absent: its own agent's holds. */
  mode?: PermissionMode;
  rules: PermissionRule[];
}

/**
 * What holds for a subagent besides its own agent's permissions: what its caller must not do, or must ask for, and that nobody is there to
 * ask. Nothing that was allowed to the caller is allowed to it by that.
 *
 * @param own the mode of the subagent's agent.
 */
export function inheritedPermissions(caller: PermissionPolicy, own: PermissionMode): InheritedPermissions {
  const rules = caller.rules.filter(({ behavior, source }) => behavior !== 'allow' && source !== 'owner');
  const mode = narrowerMode(caller.mode, own);
  return { ...(mode === own ? {} : { mode }), rules };
}

/** Its author says what passes unasked; the caller, whether anything may change at all, and whether somebody is there. */
function narrowerMode(caller: PermissionMode, own: PermissionMode): PermissionMode {
  if (caller === 'explore' || own === 'explore') return 'explore';
  return caller === 'dont_ask' ? 'dont_ask' : own;
}
