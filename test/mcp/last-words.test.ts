import { describe, expect, it } from 'vitest';
import { lastWords } from '../../src/mcp/last-words.ts';

describe('the last words of a program', () => {
  it('begin where it says what is wrong, in whole lines', () => {
    const stack = Array.from({ length: 30 }, (_, i) => `    at step${i} (file.js:${i}:1)`);
    const said = lastWords(['Starting', 'Error: no licence', ...stack, 'Node.js v24'].join('\n'), 80);
    expect(said).toBe('Error: no licence\n    at step0 (file.js:0:1)\n    at step1 (file.js:1:1)');
  });

  it('are its last lines where none says so', () => {
    expect(lastWords('one\ntwo\n\nthree\n', 9)).toBe('two\nthree');
  });

  it('are cut only where a line is too long by itself', () => {
    expect(lastWords(`Error: ${'x'.repeat(50)}`, 10)).toBe('Error: xxx…');
    expect(lastWords('', 10)).toBe('');
  });
});
