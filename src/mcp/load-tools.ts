import { describeError } from '../tools/tool-errors.ts';
import type { LoadedTools, ToolSourceContext } from '../tools/tool-source.ts';
import type { Tool } from '../tools/tool.ts';
import type { WorkerScope } from '../tools/worker-scope.ts';
import type { Catalog } from './catalog.ts';
import type { Link } from './link.ts';
import { McpPool, mcpPool } from './pool.ts';
import { readersOf } from './readers.ts';
import { isToolTaken, type McpServer } from './server.ts';
import { toTool } from './to-tool.ts';

/** More of a server's instructions would only fill the system prompt. */
const longestInstructions = 8_000;

/** What an MCP server has for a session now. @param serverOf finds its definition */
export async function loadTools(
  context: ToolSourceContext,
  serverOf: (pool: McpPool) => McpServer,
  name: string,
): Promise<LoadedTools> {
  const { worker, ref, model, workingDirectories } = context;
  const pool = poolOf(worker);
  try {
    const link = await pool.link(serverOf(pool), { ref, model, workingDirectories });
    const catalog = await link.catalog();
    const { server } = link;
    return {
      tools: toolsOf(link, catalog),
      ...noticeOf(link, catalog),
      // Its words reach the system prompt only where it is trusted.
      ...(server.isTrusted && catalog.instructions
        ? {
            instructions: `About the tools mcp__${name}__*:\n${link.secrets.scrub(catalog.instructions).slice(0, longestInstructions)}`,
          }
        : {}),
    };
  } catch (error) {
    return {
      tools: [],
      isSilent: true,
      notice: `The tools of the MCP server ${name} are not available now: ${describeError(error)}`,
    };
  }
}

export function poolOf(worker: WorkerScope): McpPool {
  return worker.resource(mcpPool, () => new McpPool({ vault: worker.vault, models: worker.models }));
}

/** Made once for each list: a step with 500 tools makes none. */
const made = new WeakMap<Catalog, Map<Link, readonly Tool[]>>();

function toolsOf(link: Link, catalog: Catalog): readonly Tool[] {
  const known = made.get(catalog)?.get(link);
  if (known) return known;
  const tools = [
    ...catalog.tools
      .filter(({ name }) => isToolTaken(link.server, name))
      .map((remote) => toTool(link, remote)),
    ...readersOf(link, catalog),
  ];
  made.set(catalog, new Map([[link, tools]]));
  return tools;
}

function noticeOf(link: Link, { tools, faults }: Catalog): Pick<LoadedTools, 'notice'> {
  const { name, allow = [] } = link.server;
  const missing = allow.filter((tool) => !tools.some((remote) => remote.name === tool));
  const problems = [
    ...faults.slice(0, 5),
    ...(missing.length > 0 ? [`it has no tool ${missing.join(', ')}`] : []),
    ...(link.isDown ? ["it can't be reached now: calls of its tools fail until it is back"] : []),
  ];
  return problems.length === 0
    ? {}
    : { notice: link.secrets.scrub(`The MCP server ${name}: ${problems.join('; ')}.`) };
}
