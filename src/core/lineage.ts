import type { EventKind } from '../schema/event.ts';

/** How much of a session its ancestors see: all of it, or what a leader has to know. */
export type Relay = 'all' | 'gates';

/** A session that another one began, or took into its team. */
export interface Lineage {
  /** Session id; of the same owner. */
  parent: string;
  kind: 'subagent' | 'worker' | 'invited';
  /** What the parent's people see in paths: unique among the children of the parent. */
  name: string;
  relay: Relay;
  /** The parent's call that it works for. */
  callId?: string;
  /** It goes on whatever becomes of the call's turn. */
  isTask?: boolean;
}

const gateKinds: ReadonlySet<EventKind> = new Set([
  'turn_start',
  'turn_end',
  'require_user_confirm',
  'require_external_execution',
  'require_reconciliation',
  'gate_answered',
  'gate_overdue',
  'team_message',
  'interrupted',
  'error',
]);

/** Whether an ancestor gets a copy of events of this kind. */
export function isRelayed(relay: Relay, kind: EventKind): boolean {
  return relay === 'all' || gateKinds.has(kind);
}

/** What an ancestor sees through a chain of sessions: no more than any link lets through. */
export function narrowest(...links: readonly Relay[]): Relay {
  return links.includes('gates') ? 'gates' : 'all';
}

const maxIdLength = 128;
const hashLength = 13;

/**
 * The session id of a child: it names its parent, so that people who look at Temporal see the tree. What is too long for an id keeps its
 * end, after a hash of the whole.
 *
 * @param name characters that no id may hold are replaced: names that differ only in these make one id.
 */
export function childSessionId(parent: string, name: string): string {
  const id = `${parent}.${name.replaceAll(/[^A-Za-z0-9._:@-]/g, '-')}`;
  if (id.length <= maxIdLength) return id;
  return `${hashOf(id)}.${id.slice(hashLength + 1 - maxIdLength)}`;
}

/** What the subagent of a call is called: after its tool, with the turn, the step and the place among the step's calls. */
export function subagentName(call: { name: string; turn: number; step: number; index: number }): string {
  return `${call.name}-${call.turn}-${call.step}-${call.index + 1}`;
}

/** 64-bit FNV-1a in base 36: the same in workflows and outside, where no library is at hand. */
function hashOf(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const char of text) {
    hash ^= BigInt(char.codePointAt(0) ?? 0);
    hash = BigInt.asUintN(64, hash * 0x100000001b3n);
  }
  return hash.toString(36).padStart(hashLength, '0');
}
