import { z } from 'zod';
import { SubagentOptions } from '../schema/subagent.ts';
import { defineTool, type ToolOptions } from '../tools/define-tool.ts';
import { DefinitionError } from '../tools/definition-error.ts';
import type { Subagent, SubagentContext, SubagentLimits, SubagentMode } from '../tools/subagent.ts';
import { compileSchema, type ToolSchema } from '../tools/tool-schema.ts';
import type { Tool } from '../tools/tool.ts';
import type { Agent } from './agent.ts';
import { isAgent } from './define-agent.ts';
import { parseDefinition } from './definition-issues.ts';

export interface AgentToolOptions extends Pick<
  ToolOptions<ToolSchema, object>,
  'permission' | 'approval' | 'deadline'
> {
  /** What the model calls it. Default: the agent's name. */
  name?: string;
  /** Tells the model what it does and when to use it. Default: the agent's description. */
  description?: string;
  /** Default: `blocking`. */
  mode?: SubagentMode;
  /** Default: `fresh`: it knows nothing but its prompt. */
  context?: SubagentContext;
  limits?: Partial<SubagentLimits>;
  /** A blocking call that takes longer goes on in the background. In milliseconds; default: it is waited for, however long. */
  backgroundAfterMs?: number;
  /** The form that its answer must have: the call's result is then JSON. */
  output?: ToolSchema;
  /** It may work beside other calls of the same step. Default: true. */
  concurrencySafe?: boolean;
}

/** What the model writes. */
export const SubagentInput = z.object({
  prompt: z
    .string()
    .min(1)
    .describe('The whole task: it knows nothing of this conversation but what you write here'),
  background: z
    .boolean()
    .optional()
    .describe('true: work on meanwhile, its answer comes later as a message. Default: wait for the answer'),
});

/**
 * Makes a tool of an agent: a call is a turn of that agent, in a session of its own below the caller's, and its answer is the result. What
 * the subagent does shows in the caller's events with a `path`; a gate of it can be answered at either session.
 *
 * @param agent one made by `defineAgent`, or the name of one that the worker has besides.
 * @example defineAgent({ name: 'editor', model: 'openai/gpt-5-mini', instructions: '…', tools: [agentTool(researcher)] });
 * @throws DefinitionError naming the field and the remedy.
 */
export function agentTool(agent: Agent | string, options: AgentToolOptions = {}): Tool {
  const agentName = typeof agent === 'string' ? agent : isAgent(agent) ? agent.name : undefined;
  if (agentName === undefined || agentName === '')
    throw new DefinitionError('agentTool', 'agent', 'pass an agent made by defineAgent, or the name of one.');
  const { name = agentName.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) } = options;
  const subject = `subagent "${name}"`;
  const { description, permission, approval, deadline, output, ...plain } = options;
  const { mode, context, limits, backgroundAfterMs, concurrencySafe } = parseDefinition(
    subject,
    SubagentOptions,
    plain,
    ['name'],
  );
  const about = typeof agent === 'string' ? undefined : agent.description;
  const tool = defineTool({
    name,
    description: description ?? about ?? `Gives a task to the agent ${agentName}, and returns its answer.`,
    input: mode === 'model decides' ? SubagentInput : SubagentInput.omit({ background: true }),
    // Its own tools ask for what they do; the call itself changes nothing.
    ...(permission === undefined ? { readOnly: true } : { permission }),
    concurrencySafe,
    ...(approval ? { approval } : {}),
    ...(deadline ? { deadline } : {}),
    execute: () => {
      throw new Error(`${name} is an agent: its call is a turn of its own.`);
    },
  });
  const { depth, ...otherLimits } = limits;
  const subagent: Subagent = {
    agent: typeof agent === 'string' ? Object.freeze({ name: agent }) : agent,
    mode,
    context,
    limits: Object.freeze({ depth: depth ?? defaultDepth, ...otherLimits }),
    isDepthStated: depth !== undefined,
    ...(output ? { output: compileSchema(subject, output) } : {}),
  };
  return Object.freeze<Tool>({
    ...tool,
    ...(backgroundAfterMs === undefined ? {} : { backgroundAfterMs }),
    subagent: Object.freeze(subagent),
  });
}

const defaultDepth = 5;
