import { calls, says, type Responder, type Step } from 'durascope/testing';

const wire = { fragment: 12, delayMs: 10 };

const program = `export function slug(text) {
  return text.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}
`;
const test = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slug } from './slug.mjs';

test('words are joined', () => assert.equal(slug('Hello World'), 'hello-world'));
test('nothing is left at the ends', () => assert.equal(slug('  Hello, World!  '), 'hello-world'));
`;

/** What a model would do, by how many results it has: it makes a mistake, and mends it. */
const steps: readonly Step[] = [
  calls('write', { path: 'slug.mjs', content: program }, { text: 'First the function.', ...wire }),
  calls('write', { path: 'slug.test.mjs', content: test }, { text: 'And its tests.', ...wire }),
  calls('bash', { command: 'node --test' }, wire),
  calls(
    'edit',
    { path: 'slug.mjs', oldText: "'-');", newText: "'-').replace(/^-|-$/g, '');" },
    { text: 'Dashes are left at the ends: I take them away.', ...wire },
  ),
  calls('bash', { command: 'node --test' }, wire),
  calls(
    'bash',
    {
      command: `node -e "import('./slug.mjs').then(({ slug }) => console.log(slug('Durable agents, at last!')))"`,
      description: 'Try it once by hand',
    },
    { text: 'Once by hand, too.', ...wire },
  ),
  says(
    '`slug.mjs` makes addresses out of titles. Both of its tests pass, after the first run showed a mistake.',
    wire,
  ),
];

export const scriptedReplies: Responder = (request) =>
  steps[request.results().length] ?? says('That is all.', wire);
