import { describe, expect, it } from 'vitest';
import * as durascope from '../src/index.ts';

describe('the public names', () => {
  it('of durascope are these', () => {
    expect(Object.keys(durascope).toSorted()).toEqual([
      'DefinitionError',
      'askUser',
      'commandPermissions',
      'defineAgent',
      'defineConfig',
      'defineTool',
      'foldEvent',
      'foldEvents',
      'formatRule',
      'isSensitivePath',
      'matchesHostRule',
      'matchesPathRule',
      'media',
      'parseRule',
      'text',
    ]);
  });
});
