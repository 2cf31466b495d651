import { defineAgent } from '../../src/agents/define-agent.ts';
import type { Agent } from '../../src/agents/agent.ts';
import { workspace } from '../../src/workspace/workspace-source.ts';
import { sampleBackend } from './sample-backends.ts';

/** An agent that works in a folder, edits by itself, and asks before it runs what may change something. */
export function coderAgent(root: string): Agent {
  return defineAgent({
    name: 'coder',
    model: 'openai/gpt-test',
    instructions: 'You write code.',
    sources: [workspace({ backend: sampleBackend('local', root) })],
    permissions: { mode: 'accept_edits' },
  });
}
