import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArguments } from '../../src/tools/parse-arguments.ts';
import { runTool } from '../../src/tools/run-tool.ts';
import type { CallContext, SessionSlots, ToolOutcome } from '../../src/tools/tool.ts';
import type { EnvironmentOptions } from '../../src/workspace/environment.ts';
import { workspaceTools, type WorkspaceToolName } from '../../src/workspace/workspace-source.ts';
import type { Workspace } from '../../src/workspace/workspace.ts';
import { memorySlots } from '../../src/tools/memory-slots.ts';
import { aCall } from '../tools/a-tool.ts';
import { sampleBackend, type BackendName } from './sample-backends.ts';

export interface Called {
  state: ToolOutcome['state'];
  text: string;
  parts: ToolOutcome['parts'];
  streamed: string;
}

/** A session with a workspace, to call its tools as the runtime does once they are allowed. */
export class AWorkspace {
  readonly root: string;
  readonly workspace: Workspace;
  readonly slots: SessionSlots = memorySlots();
  readonly #tools;
  readonly #folder: string;

  private constructor(folder: string, workspace: Workspace) {
    this.#folder = folder;
    this.root = workspace.root;
    this.workspace = workspace;
    this.#tools = new Map(workspaceTools(workspace).map((tool) => [tool.name, tool]));
  }

  static async open(backend: BackendName = 'local', options: EnvironmentOptions = {}): Promise<AWorkspace> {
    const folder = await mkdtemp(join(tmpdir(), 'workspaces-'));
    return new AWorkspace(
      folder,
      await sampleBackend(backend, folder, options).open({ owner: 'acme', sessionId: 's1' }),
    );
  }

  tool(name: WorkspaceToolName) {
    return this.#tools.get(name)!;
  }

  async call(
    name: WorkspaceToolName,
    args: Record<string, unknown>,
    context: Partial<CallContext> = {},
  ): Promise<Called> {
    const tool = this.tool(name);
    const parsed = await parseArguments(JSON.stringify(args), tool);
    if (!parsed.ok) throw new Error(parsed.message);
    let streamed = '';
    const outcome = await runTool(tool, parsed.input, aCall({ slots: this.slots, ...context }), {
      onText: (delta) => (streamed += delta),
      onProgress: () => undefined,
    });
    const text = outcome.parts.map((part) => (part.type === 'text' ? part.text : part.mediaType)).join('\n');
    return { ...outcome, text, streamed };
  }

  write(path: string, content: string | Uint8Array): Promise<void> {
    return writeFile(join(this.root, path), content);
  }

  content(path: string): Promise<string> {
    return readFile(join(this.root, path), 'utf8');
  }

  close(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true });
  }
}
