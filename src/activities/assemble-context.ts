import type { CallModelInput } from '../contracts/activities.ts';
import { estimateTokens, planContext } from '../core/context.ts';
import { readResultName } from '../core/cut-result.ts';
import { outputToolName } from '../core/output-tool.ts';
import { inputMessageId } from '../core/message-ids.ts';
import { pairResults } from '../core/pair-results.ts';
import type { ToolSpec } from '../model/model.ts';
import type { Msg } from '../schema/message.ts';
import type { SessionRecord } from '../store/store.ts';
import type { Tool } from '../tools/tool.ts';
import type { ActivityDeps } from './deps.ts';
import type { EquippedAgent } from './equip.ts';

export interface AssembledContext {
  system: string;
  tools: ToolSpec[];
  /** Fit to be sent: paired, within the budget. */
  messages: Msg[];
  /** Estimated, system prompt and tools included. */
  tokens: number;
  /** Where the context begins now, and how many messages left it for that. */
  contextFrom: number;
  dropped: number;
}

export interface ContextLimits {
  contextTokens: number;
  /** Leaves out all that came before the current turn. */
  isFresh: boolean;
}

/** Reads what is sent to the model now: at most two store reads, whatever the session's length. */
export async function assembleContext(
  { store, contexts }: ActivityDeps,
  input: CallModelInput,
  agent: EquippedAgent,
  session: SessionRecord,
  { contextTokens, isFresh }: ContextLimits,
): Promise<AssembledContext> {
  const { ref, turn } = input;
  const instructions =
    typeof agent.instructions === 'string'
      ? agent.instructions
      : await agent.instructions({ ...ref, agent: agent.name });
  const system = [instructions, ...agent.additions].join('\n\n');

  const loaded = await contexts.load(store.messages, session, agent.maxResultTokens);
  const tools = toolSpecs(
    agent,
    input.tools,
    loaded.some(({ isChanged }) => isChanged),
  );
  const entries = loaded
    .filter(({ msg }) => (isFresh ? msg.turn === turn : !session.excludedTurns.includes(msg.turn)))
    .map(({ msg, tokens }) => ({ msg, seq: msg.seq, turn: msg.turn, role: msg.role, tokens }));
  const fixedTokens = estimateTokens(system) + estimateTokens(JSON.stringify(tools));
  const contextFrom = planContext(entries, { contextTokens, fixedTokens });
  const kept = entries.filter(({ seq }) => seq >= contextFrom);
  const messages = kept.map(({ msg }) => msg);

  const question = inputMessageId(turn);
  if (!messages.some(({ id }) => id === question)) {
    const message =
      entries.find(({ msg }) => msg.id === question)?.msg ?? (await store.messages.get(ref, question));
    if (message) messages.unshift(message);
  }
  return {
    system,
    tools,
    messages: pairResults(messages),
    tokens: kept.reduce((sum, { tokens }) => sum + tokens, fixedTokens),
    contextFrom: Math.max(contextFrom, session.contextFrom),
    dropped: entries.length - kept.length,
  };
}

function toolSpecs(agent: EquippedAgent, which: CallModelInput['tools'], hasCut: boolean): ToolSpec[] {
  if (which === 'none') return [];
  const isShown = ({ name }: Tool) => !agent.hiddenTools.has(name) || (name === readResultName && hasCut);
  const shown =
    which === 'auto'
      ? agent.tools.filter(isShown)
      : agent.tools.filter(({ name }) => name === outputToolName);
  return shown.map(({ name, description, parameters }) => ({ name, description, parameters }));
}
