import { userInfo } from 'node:os';
import { Option, type Command } from 'commander';
import type { Actor } from '../core/approval.ts';

/** Who asks or answers. */
export interface ActorOptions {
  actor: string;
  role?: string[];
}

/** Adds `--actor` and `--role`. @param what they do, as in "who answers, for the record". */
export function withActorOptions(command: Command, what: string): Command {
  return command
    .addOption(actorOption(what))
    .option('--role <name>', 'that they have, for approval policies; several: once for each', collect);
}

export function actorOption(what: string): Option {
  return new Option('--actor <name>', `${what}; default: your user name`).default(userInfo().username);
}

export function actorOf({ actor, role }: ActorOptions): Actor {
  return role === undefined ? { id: actor } : { id: actor, roles: role };
}

function collect(role: string, roles: string[] = []): string[] {
  return [...roles, role];
}
