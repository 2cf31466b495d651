import type { HttpAddress, McpServer, StdioAddress } from './server.ts';

/** What a definition says, without what may be secret: of `env` and `headers` the names, of an address no query. */
export function definitionOf({ transport, sampling, ...rest }: McpServer) {
  return {
    ...rest,
    sampling,
    transport: transport.kind === 'stdio' ? ofProgram(transport) : ofAddress(transport),
  };
}

function ofProgram({ kind, command, args, env, cwd }: StdioAddress) {
  return { kind, command, args, env: namesOf(env), ...(cwd === undefined ? {} : { cwd }) };
}

function ofAddress({ kind, url, headers, oauth }: HttpAddress) {
  const { origin, pathname } = new URL(url);
  const { grant, clientId, scope } = oauth ?? {};
  return {
    kind,
    url: origin + pathname,
    headers: namesOf(headers),
    ...(oauth ? { oauth: { grant, clientId, scope } } : {}),
  };
}

function namesOf(values: StdioAddress['env']): string[] {
  return typeof values === 'function' ? ['by owner'] : Object.keys(values).toSorted();
}
