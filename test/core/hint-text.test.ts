import { describe, expect, it } from 'vitest';
import { hintText } from '../../src/core/hint-text.ts';

describe('hintText', () => {
  it.each([
    ['team', '<team-message from="ann">\nhi\n</team-message>'],
    ['task', '<task-message from="ann">\nhi\n</task-message>'],
    ['wakeup', '<wake-up from="ann">\nhi\n</wake-up>'],
    ['schedule', '<scheduled-task from="ann">\nhi\n</scheduled-task>'],
    ['reminder', '<reminder from="ann">\nhi\n</reminder>'],
  ])('names a message of kind %s, and who sent it', (source, text) => {
    expect(hintText({ text: 'hi', source, from: { name: 'ann' } })).toBe(text);
  });

  it('leaves a notice of the runtime as it is, and escapes what came from elsewhere', () => {
    expect(hintText({ text: '<b>', source: 'workspace' })).toBe('<b>');
    expect(hintText({ text: '<b> & "c"', source: 'team', from: { name: '"x">' } })).toBe(
      '<team-message from="&quot;x&quot;&gt;">\n&lt;b&gt; &amp; &quot;c&quot;\n</team-message>',
    );
  });
});
