import { describe, expect, it } from 'vitest';
import * as durascope from '../src/index.ts';

describe('the public names', () => {
  it('of durascope are these', () => {
    expect(Object.keys(durascope).toSorted()).toEqual([
      'DefinitionError',
      'defineAgent',
      'defineConfig',
      'defineTool',
      'foldEvent',
      'foldEvents',
      'media',
      'text',
    ]);
  });
});
