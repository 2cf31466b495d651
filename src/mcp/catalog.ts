import { ToolSchema, type Tool as RemoteTool } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { Connection } from './connection.ts';
import { schemaFault } from './server-schema.ts';

/** What a server offers, as it was listed. */
export interface Catalog {
  /** Name and version of what was listed. */
  identity: string;
  tools: readonly RemoteTool[];
  hasResources: boolean;
  hasPrompts: boolean;
  instructions?: string;
  /** What of the list could not be taken, as sentences. */
  faults: readonly string[];
}

const maxPages = 1_000;
const maxTools = 10_000;
const pageMs = 60_000;

/** One bad tool must not cost all others, so that each is checked by itself. */
const Page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

export function identityOf({ serverInfo }: Connection): string {
  return `${serverInfo.name}@${serverInfo.version}`;
}

/** Lists all pages. @throws McpServerError */
export async function readCatalog(connection: Connection): Promise<Catalog> {
  const { capabilities, instructions } = connection;
  const tools = new Map<string, RemoteTool>();
  const faults: string[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; capabilities.tools && page < maxPages; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await connection.request({ method: 'tools/list', params }, Page, { timeout: pageMs });
    for (const item of answer.tools) take(item, tools, faults);
    cursor = answer.nextCursor;
    if (cursor === undefined || tools.size > maxTools) break;
    if (cursors.has(cursor)) {
      faults.push('its list of tools never ends: the same page was offered twice');
      break;
    }
    cursors.add(cursor);
  }
  return {
    identity: identityOf(connection),
    tools: [...tools.values()],
    hasResources: capabilities.resources !== undefined,
    hasPrompts: capabilities.prompts !== undefined,
    ...(instructions === undefined ? {} : { instructions }),
    faults,
  };
}

function take(item: unknown, tools: Map<string, RemoteTool>, faults: string[]): void {
  const parsed = ToolSchema.safeParse(item);
  if (!parsed.success) {
    const name = typeof item === 'object' && item !== null && 'name' in item ? String(item.name) : '?';
    const [issue] = parsed.error.issues;
    faults.push(
      `its tool "${name.slice(0, 100)}" is malformed (${issue?.path.join('.')}: ${issue?.message})`,
    );
    return;
  }
  const { name } = parsed.data;
  const fault = schemaFault(parsed.data);
  if (fault !== undefined) faults.push(`its tool "${name.slice(0, 100)}" is left out: ${fault}`);
  else if (tools.has(name)) faults.push(`it lists two tools "${name}"`);
  else tools.set(name, parsed.data);
}
