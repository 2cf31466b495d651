// `npm run test:fuzz`: Schemathesis asks every operation of the OpenAPI document, with what fits its schemas and with what does not.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { startDevServer } from '../../src/embedded/dev-server.ts';
import { newApiKey } from '../../src/server/auth/api-key.ts';
import { storedKeys } from '../../src/server/index.ts';
import { says } from '../../src/testing/index.ts';
import { startApi } from '../support/api.ts';
import { pay } from '../support/pay-tool.ts';
import { startStack } from '../support/stack.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const examples = process.argv[2] ?? '40';

const agent = defineAgent({ name: 'payer', model: 'openai/gpt-test', instructions: 'Pay.', tools: [pay] });

const program = findSchemathesis();
const temporal = await startDevServer({ port: 0, uiPort: 0, log: console.log });
const stack = await startStack({ agents: [agent], address: temporal.address });
stack.model.answers(() => says('Paid.'));
const { id, key, hash } = newApiKey();
await stack.content.store.apiKeys.create({
  id,
  hash,
  owner: 'fuzz',
  name: 'fuzz',
  scopes: ['admin'],
  roles: [],
});
const problems: object[] = [];
const api = await startApi(stack, {
  agents: [agent],
  authenticate: storedKeys(stack.content.store.apiKeys),
  // Whatever owner it makes up, so that it gets behind the gate.
  policy: { mayActFor: () => true },
  log: { info() {}, warn() {}, error: (fields) => void problems.push(fields) },
});
try {
  const args = [
    'run',
    `${api.url}/openapi.json`,
    `--header=Authorization: Bearer ${key}`,
    `--max-examples=${examples}`,
    '--seed=1',
    // Streams go on for ever; what they are made of is tested elsewhere.
    '--exclude-path-regex=/(events|chat|stream)$',
    '--request-timeout=70',
    // It takes a text for a malformed list of parts where the schema allows both, and a page's cursor can't be told by a schema.
    '--exclude-checks=positive_data_acceptance',
    '--suppress-health-check=all',
  ];
  const run = spawn(program, args, { stdio: 'inherit', cwd: root });
  const [code] = (await once(run, 'exit')) as [number | null];
  for (const problem of problems) console.error(problem);
  process.exitCode = code === 0 && problems.length === 0 ? 0 : 1;
} finally {
  await api.close();
  await stack.stop();
  await temporal.kill();
}

/** The one on PATH, else one that pip puts beside the build. */
function findSchemathesis(): string {
  if (spawnSync('schemathesis', ['--version']).status === 0) return 'schemathesis';
  const folder = join(root, '.durascope', 'fuzz');
  const own = join(folder, 'bin', 'schemathesis');
  if (existsSync(own)) return own;
  console.log('schemathesis is not on PATH: installing it with pip …');
  for (const [command, args] of [
    ['python3', ['-m', 'venv', folder]],
    [join(folder, 'bin', 'pip'), ['install', '--quiet', 'schemathesis>=4,<5']],
  ] as const)
    if (spawnSync(command, args, { stdio: 'inherit' }).status !== 0)
      throw new Error(
        `${command} ${args.join(' ')} failed: install schemathesis by hand, and put it on PATH`,
      );
  return own;
}
