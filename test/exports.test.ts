import { describe, expect, it } from 'vitest';
import * as durascope from '../src/index.ts';

describe('the public names', () => {
  it('of durascope are these', () => {
    expect(Object.keys(durascope).toSorted()).toEqual([
      'DefinitionError',
      'OutcomeUnknownError',
      'WorkspaceError',
      'askUser',
      'bubblewrapBackend',
      'commandPermissions',
      'defineAgent',
      'defineConfig',
      'defineMcpServer',
      'defineTool',
      'dockerBackend',
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
      'skills',
      'text',
      'workspace',
      'workspaceTools',
    ]);
  });
});
