import { z } from 'zod';
import type { Inheritance } from '../core/worker-permissions.ts';
import type { TeamLimits } from '../core/team.ts';
import { DefinitionError } from '../tools/definition-error.ts';
import type { Agent } from './agent.ts';
import { parseDefinition } from './definition-issues.ts';

/** A kind of worker that a leader may create. */
export interface SubagentTemplate {
  /** Default: the agent's name. */
  name?: string;
  /** Tells the leader when to choose it. Default: the agent's description. */
  description?: string;
  agent: Agent;
  /** What of the leader's permissions its workers have, besides what narrows them, which always holds. Default: nothing. */
  inherit?: Inheritance;
}

export interface TeamOptions {
  /** An agent stands for the template of its name. */
  templates: readonly (Agent | SubagentTemplate)[];
  /** Agents whose sessions may be invited, by name. Default: none. */
  invites?: readonly string[];
  /** Default: 10. */
  maxMembers?: number;
  /** Messages that the members of one team may send, its leader included. Default: 200. */
  messageBudget?: number;
  /** Turns that the members of one team may take. Default: 100. */
  turnBudget?: number;
}

/** What makes an agent a leader. */
export interface AgentTeam {
  readonly templates: readonly Required<SubagentTemplate>[];
  readonly invites: readonly string[];
  readonly limits: Readonly<TeamLimits>;
}

const positive = (what: string) =>
  z.int(`write a whole number of ${what}`).min(1, 'write at least 1').max(1_000_000, 'write at most 1000000');

const TeamSettings = z.strictObject({
  invites: z.array(z.string("write names of agents, such as 'support'")).default([]),
  maxMembers: positive('members').default(10),
  messageBudget: positive('messages').default(200),
  turnBudget: positive('turns').default(100),
});

/** @throws DefinitionError */
export function checkTeam(subject: string, options: TeamOptions | undefined): AgentTeam | undefined {
  if (options === undefined) return undefined;
  if (typeof options !== 'object' || options === null || !Array.isArray(options.templates))
    throw new DefinitionError(subject, 'team', 'write { templates: [researcher] }, with agents in it.');
  const settings = parseDefinition(`${subject}, team`, TeamSettings, options, ['templates']);
  const templates = options.templates.map((given: unknown, i) => checkTemplate(subject, i, given));
  for (const [i, { name }] of templates.entries())
    if (templates.findIndex((other) => other.name === name) !== i)
      throw new DefinitionError(
        subject,
        `team.templates[${i}].name`,
        `two templates are named ${name}: rename one.`,
      );
  for (const [i, { agent }] of templates.entries())
    if (templates.findIndex((other) => other.agent.name === agent.name) !== i)
      throw new DefinitionError(
        subject,
        `team.templates[${i}].agent`,
        `two templates have the agent ${agent.name}: define an agent for each.`,
      );
  const { maxMembers: members, messageBudget: messages, turnBudget: turns, invites } = settings;
  return Object.freeze({
    templates: Object.freeze(templates),
    invites: Object.freeze(invites),
    limits: Object.freeze({ members, messages, turns }),
  });
}

function checkTemplate(subject: string, index: number, given: unknown): Required<SubagentTemplate> {
  const field = `team.templates[${index}]`;
  const template = (isAgent(given) ? { agent: given } : given) as SubagentTemplate;
  if (typeof template !== 'object' || template === null || !isAgent(template.agent))
    throw new DefinitionError(subject, field, 'expected an agent, or { agent, name, description, inherit }.');
  const { agent, name = agent.name, description = agent.description ?? '', inherit = {} } = template;
  if (typeof name !== 'string' || !/^[\w.:@-]{1,64}$/.test(name))
    throw new DefinitionError(subject, `${field}.name`, "write a name such as 'researcher'.");
  return Object.freeze({ agent, name, description, inherit: Object.freeze({ ...inherit }) });
}

function isAgent(value: unknown): value is Agent {
  return typeof value === 'object' && value !== null && 'revision' in value && 'toolByName' in value;
}
