import type { Actor } from '../core/approval.ts';
import { requireScope, type Principal } from './principal.ts';

/**
 * Who asks or answers: the principal itself, or, where it may speak for others, whom it names.
 *
 * @throws Problem `missing_scope`
 */
export function actorOf({
  principal,
  body,
}: {
  principal: Principal;
  body: { actor?: { id: string; roles?: string[] } };
}): Actor {
  const { actor } = body;
  if (!actor) return { id: principal.id, roles: principal.roles };
  const isSelf = actor.id === principal.id && actor.roles === undefined;
  if (isSelf) return { id: principal.id, roles: principal.roles };
  requireScope(principal, 'impersonate');
  return actor;
}
