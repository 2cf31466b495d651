import { fileURLToPath } from 'node:url';
import { mcpServer } from '../../../src/mcp/mcp-source.ts';
import type { McpServer, McpServerOptions } from '../../../src/mcp/server.ts';
import { runTool, type RunHooks } from '../../../src/tools/run-tool.ts';
import type { LoadedTools } from '../../../src/tools/tool-source.ts';
import type { CallContext, SessionSlots, ToolOutcome } from '../../../src/tools/tool.ts';
import type { WorkerScope } from '../../../src/tools/worker-scope.ts';
import { memorySlots } from '../../../src/tools/memory-slots.ts';
import { aSourceContext } from '../../support/worker-scope.ts';
import { aCall } from '../../tools/a-tool.ts';

/** A session of a worker, without Temporal: loads a server's tools and calls them, as the loop would. */
export interface Bench {
  load(): Promise<LoadedTools>;
  names(): Promise<string[]>;
  call(
    name: string,
    input?: object,
    context?: Partial<CallContext>,
    hooks?: Partial<RunHooks>,
  ): Promise<ToolOutcome>;
  /** The text of the outcome. */
  text(name: string, input?: object): Promise<string>;
}

export function benchOf(
  worker: WorkerScope,
  options: McpServerOptions | McpServer,
  {
    owner = 'acme',
    sessionId = 's1',
    slots = memorySlots(),
    roots = [],
  }: { owner?: string; sessionId?: string; slots?: SessionSlots; roots?: string[] } = {},
): Bench {
  const source = mcpServer(options);
  const bench: Bench = {
    load: () =>
      source.load(aSourceContext({ ref: { owner, sessionId }, workingDirectories: roots, slots, worker })),
    names: async () => (await bench.load()).tools.map(({ name }) => name),
    async call(name, input = {}, context = {}, hooks = {}) {
      const { tools, notice } = await bench.load();
      const tool = tools.find((candidate) => candidate.name === `mcp__${options.name}__${name}`);
      if (!tool) throw new Error(`no tool ${name}: ${JSON.stringify(notice)}`);
      const checked = await tool.validate(input);
      if (!checked.ok) throw new Error(checked.issues.join('; '));
      return runTool(tool, checked.value, aCall({ owner, sessionId, slots, ...context }), {
        onText: () => undefined,
        onProgress: () => undefined,
        ...hooks,
      });
    },
    text: async (name, input) => textOf(await bench.call(name, input)),
  };
  return bench;
}

export function textOf({ parts }: ToolOutcome): string {
  return parts.map((part) => (part.type === 'text' ? part.text : `[${part.mediaType}]`)).join('\n');
}

/** A server of npm, as its own program. */
export function packageServer(name: 'everything' | 'filesystem' | 'memory', ...args: string[]) {
  const file = fileURLToPath(
    new URL(`../../../node_modules/@modelcontextprotocol/server-${name}/dist/index.js`, import.meta.url),
  );
  return { command: process.execPath, args: [file, ...args] };
}

export function badServer(log: string) {
  const file = fileURLToPath(new URL('bad-server.ts', import.meta.url));
  return { command: process.execPath, args: ['--disable-warning=ExperimentalWarning', file, log] };
}
