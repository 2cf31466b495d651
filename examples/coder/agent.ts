import { dirname, resolve } from 'node:path';
import { bubblewrapBackend, defineAgent, localBackend, workspace } from 'durascope';
import { findOnPath } from '../../src/embedded/tied-process.ts';

const root = resolve(process.env['CODER_DIR'] ?? '.durascope/coder', 'workspaces');

/** Without a sandbox, commands run as this user: that is why they ask. */
export const isSandboxed = findOnPath('bwrap') !== undefined;

// The folder above Node's `bin`, so that what the agent wrote can run.
const toolchain = dirname(dirname(process.execPath));
export const files = workspace({
  backend: isSandboxed ? bubblewrapBackend({ root, readOnlyPaths: [toolchain] }) : localBackend({ root }),
});

export const coder = defineAgent({
  name: 'coder',
  model: process.env['DURASCOPE_DEMO_MODEL'] ?? 'openai/gpt-5-mini',
  instructions: [
    'You write small programs in JavaScript, for Node, without dependencies.',
    'Write tests with node:test, run them with `node --test`, and mend what fails.',
    'Say at the end in two sentences what you made, and how it was tested.',
  ].join('\n'),
  sources: [files],
  maxIterations: 20,
  permissions: { mode: 'accept_edits', allow: ['bash(node --test:*)'] },
});
