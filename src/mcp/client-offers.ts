import { pathToFileURL } from 'node:url';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  type ClientCapabilities,
} from '@modelcontextprotocol/sdk/types.js';
import type { ToolContext } from '../tools/tool.ts';
import { answerElicitation } from './elicitation.ts';
import { answerSampling, type Sampler } from './sampling.ts';
import type { McpServer } from './server.ts';

/** What a server may ask of us. */
export interface ClientOffers {
  capabilities: ClientCapabilities;
  /** It may ask back in the middle of a call. */
  isAsking: boolean;
  /** Absolute paths. */
  roots: readonly string[];
  sampler?: Sampler;
}

export function offersFor(server: McpServer, roots: readonly string[], sampler?: Sampler): ClientOffers {
  const isEliciting = server.elicitationMs !== undefined;
  const isSampling = server.sampling !== undefined && sampler !== undefined;
  return {
    capabilities: {
      ...(roots.length > 0 ? { roots: {} } : {}),
      ...(isEliciting ? { elicitation: { form: { applyDefaults: true }, url: {} } } : {}),
      ...(isSampling ? { sampling: {} } : {}),
    },
    isAsking: isEliciting || isSampling,
    roots,
    ...(sampler ? { sampler } : {}),
  };
}

/** Answers what the server asks, for the call that it is running. */
export function offerToServer(
  client: Client,
  server: McpServer,
  { capabilities, roots, sampler }: ClientOffers,
  currentCall: () => ToolContext | undefined,
): void {
  if (capabilities.roots)
    client.setRequestHandler(ListRootsRequestSchema, () => ({
      roots: roots.map((path) => ({ uri: pathToFileURL(path).href, name: path })),
    }));
  if (capabilities.elicitation)
    client.setRequestHandler(ElicitRequestSchema, ({ params }) =>
      answerElicitation(server, params, currentCall()),
    );
  if (capabilities.sampling && sampler)
    client.setRequestHandler(CreateMessageRequestSchema, ({ params }) =>
      answerSampling(server, sampler, params, currentCall()),
    );
}
