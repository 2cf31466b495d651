// What the official conformance suite runs as the client: our pool and tools, told by the suite where the server is and what it tests.
import { randomUUID } from 'node:crypto';
import type { McpServerOptions } from '../../../src/mcp/server.ts';
import { defineMcpServer } from '../../../src/mcp/define-mcp-server.ts';
import { signIn } from '../../../src/mcp/sign-in.ts';
import type { Question } from '../../../src/schema/event.ts';
import { memoryVault, testScope } from '../../support/worker-scope.ts';
import { benchOf } from '../support/load.ts';

const url = process.argv.at(-1) ?? '';
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as {
  client_id?: string;
  client_secret?: string;
  private_key_pem?: string;
  signing_algorithm?: string;
};

const vault = memoryVault();
const worker = testScope(vault);
const server = defineMcpServer({ name: 'conformance', url, elicitation: true, ...oauthFor(scenario) });
const bench = benchOf(worker, server, { sessionId: randomUUID() });

/** A browser whose person agrees at once. */
const signInNow = () =>
  signIn({
    server,
    owner: 'acme',
    vault,
    signal: AbortSignal.timeout(20_000),
    open: async (address) => {
      await fetch(address);
    },
  });

if (server.transport.kind !== 'stdio' && server.transport.oauth?.grant === 'authorization_code')
  await signInNow();
for (const name of await toolNames()) {
  const input = name === 'add_numbers' ? { a: 5, b: 3 } : {};
  const outcome = await bench.call(name, input, {}, { onAsk: acceptDefaults });
  console.log(name, outcome.state, JSON.stringify(outcome.parts));
  // Rights that the token lacks are asked for by signing in again.
  if (outcome.state === 'error' && /has to sign in/.test(JSON.stringify(outcome.parts))) {
    await signInNow();
    console.log(name, (await bench.call(name, input)).state);
  }
}
await worker.close();

async function toolNames(): Promise<string[]> {
  const { tools, notice } = await bench.load();
  if (notice !== undefined) console.error(notice);
  return tools.map(({ name }) => name.replace('mcp__conformance__', ''));
}

async function acceptDefaults(_question: Question) {
  return { kind: 'answered', answer: '{}' } as const;
}

function oauthFor(name: string): Pick<McpServerOptions, 'oauth'> {
  if (!name.startsWith('auth/')) return {};
  const { client_id: clientId, client_secret: clientSecret } = context;
  if (name === 'auth/client-credentials-basic')
    return {
      oauth: { grant: 'client_credentials', clientId: clientId ?? '', clientSecret: clientSecret ?? '' },
    };
  const { private_key_pem: privateKey, signing_algorithm: algorithm } = context;
  if (name === 'auth/client-credentials-jwt')
    return {
      oauth: {
        grant: 'client_credentials',
        clientId: clientId ?? '',
        privateKey: privateKey ?? '',
        algorithm: algorithm ?? 'ES256',
      },
    };
  return {
    oauth: {
      grant: 'authorization_code',
      // A document that the suite knows.
      ...(name === 'auth/basic-cimd'
        ? { clientMetadataUrl: 'https://conformance-test.local/client-metadata.json' }
        : {}),
      ...(clientId === undefined ? {} : { clientId }),
      ...(clientSecret === undefined ? {} : { clientSecret }),
    },
  };
}
