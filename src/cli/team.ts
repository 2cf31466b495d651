import type { Command } from 'commander';
import type { TeamView } from '../client/index.ts';
import { CommandError } from './command-error.ts';
import { defineCommand, flagsOf, type CommonOptions } from './define-command.ts';
import { existingSession } from './existing-session.ts';
import { openReader, withClient } from './open-client.ts';
import { printJson, printLines } from './output.ts';
import { oneLine, printable, table } from './text.ts';

export function teamCommand(): Command {
  return defineCommand(
    'team',
    'show the team of a session: who is in it, what each one does, what is left of its budgets',
    'durascope team case-42',
  )
    .argument('<session>', "the leader's or a member's")
    .action(team);
}

async function team(id: string, options: CommonOptions): Promise<void> {
  await withClient(
    flagsOf(options),
    async (client, { owner }) => {
      const { details } = await existingSession(client, owner, id);
      if (!details.team)
        throw new CommandError('not_found', `Session ${id} is in no team: its agent has created none now`);
      if (options.json) printJson(details.team);
      else printLines(renderTeam(details.team));
    },
    openReader,
  );
}

function renderTeam({
  name,
  description,
  leader,
  leaderSession,
  members,
  counts,
  limits,
}: TeamView): string[] {
  const rows = members.map((member) => [
    printable(member.name),
    printable(member.agent),
    member.state,
    member.finishReason ?? '',
    printable(member.sessionId),
    oneLine(member.description, 60),
  ]);
  return [
    `${printable(name)}: ${oneLine(description, 100)}`,
    `led by ${printable(leader)}, session ${printable(leaderSession)}`,
    `used: ${counts.messages} of ${limits.messages} messages, ${counts.turns} of ${limits.turns} turns, ${members.length} of ${limits.members} members`,
    ...(rows.length === 0
      ? []
      : ['', ...table(['NAME', 'AGENT', 'STATE', 'LAST TURN', 'SESSION', 'FOR'], rows)]),
  ];
}
