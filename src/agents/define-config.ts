import { ConfigSettings } from '../schema/agent.ts';
import { DefinitionError } from '../tools/definition-error.ts';
import { createAgentRegistry } from './agent-registry.ts';
import type { Agent } from './agent.ts';
import { isAgent } from './define-agent.ts';
import { parseDefinition } from './definition-issues.ts';

/** What `durascope.config.ts` exports. What is absent comes from flags and the environment, which go before it, and then from defaults. */
export interface Config extends ConfigSettings {
  agents: readonly Agent[];
}

/**
 * Checks a config.
 *
 * @example export default defineConfig({ agents: [support], store: 'sqlite:.durascope/store.db' });
 * @throws DefinitionError naming the field and the remedy.
 */
export function defineConfig(options: Config): Readonly<Config> {
  if (typeof options !== 'object' || options === null) {
    throw new DefinitionError('config', 'options', 'expected an object such as { agents: [support] }.');
  }
  const agents = checkAgents(options.agents);
  const settings = parseDefinition('config', ConfigSettings, options, ['agents']);
  return Object.freeze({ ...settings, agents });
}

function checkAgents(agents: unknown): readonly Agent[] {
  if (!Array.isArray(agents) || agents.length === 0) {
    throw new DefinitionError('config', 'agents', 'write an array of at least one agent, such as [support].');
  }
  const stranger = agents.findIndex((agent) => !isAgent(agent));
  if (stranger >= 0) {
    throw new DefinitionError(
      'config',
      `agents[${stranger}]`,
      'this is no agent: wrap its options, as in defineAgent({ … }).',
    );
  }
  createAgentRegistry(agents as Agent[]);
  return Object.freeze([...(agents as Agent[])]);
}
