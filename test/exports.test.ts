import { describe, expect, it } from 'vitest';
import * as durascope from '../src/index.ts';

describe('the public names', () => {
  it('of durascope are these', () => {
    expect(Object.keys(durascope).toSorted()).toEqual([
      'DefinitionError',
      'OutcomeUnknownError',
      'WorkspaceError',
      'agentTool',
      'askUser',
      'bubblewrapBackend',
      'commandPermissions',
      'defineAgent',
      'defineConfig',
      'defineMcpServer',
      'defineTool',
      'dockerBackend',
      'fixedSearch',
      'foldEvent',
      'foldEvents',
      'formatRule',
      'isSensitivePath',
      'loadSkill',
      'loadSkills',
      'localBackend',
      'matchesHostRule',
      'matchesPathRule',
      'mcpServer',
      'media',
      'parseRule',
      'searxng',
      'skills',
      'text',
      'webFetch',
      'webSearch',
      'workspace',
      'workspaceTools',
    ]);
  });
});
