import { z } from 'zod';
import { parseTurnId } from '../contracts/ids.ts';
import { TeamRuleError } from '../core/team.ts';
import { defineTool } from '../tools/define-tool.ts';
import type { Tool } from '../tools/tool.ts';
import { courierHere } from '../inbox/courier.ts';
import { createWorker, inviteSession } from './add-member.ts';
import { endTeam } from './end-team.ts';
import { ledSeat, memberSeat, mustLead, placeAt, type TeamDesk, type TeamPlace } from './place.ts';
import { say } from './say.ts';
import { changeTeam, readMembership } from './team-slot.ts';
import { describeTeam, viewTeam } from './team-view.ts';

/**
 * They change nothing but teams: whatever their members may do is decided for each of their calls. So to permissions they only read, and
 * every mode lets them through, rules aside. A repeat of a call finds what the first one did.
 */
const ofTeam = { readOnly: true, idempotent: true, concurrencySafe: false } as const;

const words = (limit: number) => z.string().trim().min(1).max(limit);
const content = words(100_000).describe('What they need to know. They see nothing else of your conversation');
const name = words(32).describe('Letters, digits, "_" and "-", such as "ann"');

/** What a leader has, whether or not it has a team now. */
export function leaderTools(desk: TeamDesk): Tool[] {
  const { templates = [], invites = [] } = desk.agent.team ?? {};
  const names = templates.map((template) => template.name);
  const list = templates.map((template) => `${template.name}: ${template.description}`).join('; ');
  return [
    defineTool({
      ...ofTeam,
      name: 'team_create',
      description:
        'Create a team that you lead, for work that several can do at once. Then add workers with agent_create. You lead one team at a time.',
      input: z.object({ name: words(64), description: words(2000).describe('What the team is for') }),
      execute: async (input, context) => createTeam(placeAt(desk, context), input, context),
    }),
    ...(names.length === 0
      ? []
      : [
          defineTool({
            ...ofTeam,
            name: 'agent_create',
            description: `Create a worker of your team and give it its first task. It works on its own and reports to you by a message, which you get without asking: end your turn when there is nothing else to do. Templates: ${list}.`,
            input: z.object({
              name,
              template: z.enum(names as [string, ...string[]]),
              description: words(500).describe('What it is for, as the team sees it'),
              prompt: content,
            }),
            execute: async (input, context) => createWorker(placeAt(desk, context), input, context),
          }),
        ]),
    ...(invites.length === 0
      ? []
      : [
          defineTool({
            ...ofTeam,
            name: 'agent_invite',
            description: `Take an existing session into your team and give it a task. It keeps its own memory and permissions. Sessions of: ${invites.join(', ')}.`,
            input: z.object({
              session: words(128).describe('Its session id'),
              name,
              description: words(500).describe('What it is for, as the team sees it'),
              prompt: content,
            }),
            execute: async (input, context) => inviteSession(placeAt(desk, context), input, context),
          }),
        ]),
    sayTool(
      desk,
      'Send a message to a member of your team, or to all of them. Members report by themselves: don’t ask how far they are, and don’t thank them.',
    ),
    statusTool(
      desk,
      'Look at your team: who is in it, what each one does now, and what is left of its budgets. Reports reach you by themselves: don’t call this again and again to wait for them.',
    ),
    defineTool({
      ...ofTeam,
      name: 'team_delete',
      description:
        'End your team when its work is done: workers that are at work are stopped, and their last words reach you.',
      input: z.object({}),
      async execute(_, context) {
        const place = placeAt(desk, context);
        const { team } = await mustLead(place);
        const turn = parseTurnId(context.turnId)?.turn ?? 0;
        const faults = await endTeam(place, place.ref, { turn, reason: 'its team was ended' });
        return [`Team ${team.name} has ended.`, ...faults].join('\n');
      },
    }),
  ];
}

/** What a worker or guest has, who leads no team. */
export function memberTools(desk: TeamDesk): Tool[] {
  return [
    sayTool(
      desk,
      'Send a message to your leader, to a mate, or to all. Report to your leader once, when your task is done or can’t be done: with the result itself, because nothing else of your work is seen.',
    ),
    statusTool(desk, 'Look at your team: who is in it, and what each one does now.'),
  ];
}

function sayTool(desk: TeamDesk, description: string): Tool {
  return defineTool({
    ...ofTeam,
    name: 'team_say',
    description,
    input: z.object({
      content,
      to: words(64).optional().describe('A name in the team, or "leader"; leave it out to tell all'),
    }),
    execute: async (input, context) => say(placeAt(desk, context), input, context),
  });
}

function statusTool(desk: TeamDesk, description: string): Tool {
  return defineTool({
    ...ofTeam,
    name: 'team_status',
    description,
    input: z.object({}),
    async execute(_, context) {
      const place = placeAt(desk, context);
      const seats = [await ledSeat(place), await memberSeat(place)].filter((seat) => seat !== undefined);
      if (seats.length === 0) throw new TeamRuleError('you are in no team now');
      const here = { store: desk.store, temporal: courierHere(desk.store).temporal };
      const views = await Promise.all(seats.map(({ leader, team }) => viewTeam(here, leader, team)));
      return views.map(describeTeam).join('\n\n');
    },
  });
}

async function createTeam(
  { store, ref, agent }: TeamPlace,
  { name: team, description }: { name: string; description: string },
  { callId, turnId }: { callId: string; turnId: string },
): Promise<string> {
  const limits = agent.team?.limits;
  if (!limits) throw new TeamRuleError('you can lead no team');
  const above = await readMembership(store, ref);
  await changeTeam(store, ref, (now) => {
    if (now?.id === callId) return { team: now };
    if (now) throw new TeamRuleError(`you lead the team ${now.name} already: end it with team_delete first`);
    return {
      team: {
        id: callId,
        name: team,
        description,
        leader: above?.name ?? agent.name,
        members: [],
        limits,
        counts: { messages: 0, turns: 0 },
        counted: {},
      },
      turn: parseTurnId(turnId)?.turn ?? 0,
      events: [{ kind: 'team_changed', change: 'created', team }],
    };
  });
  return `Team ${team} is there, and you lead it.`;
}
