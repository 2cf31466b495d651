// A process that runs the bash tool in a workspace, and says what that did to its memory. Started with --expose-gc.
import { localBackend } from '../../src/workspace/local-backend.ts';
import { workspaceTools } from '../../src/workspace/workspace-source.ts';
import { runTool } from '../../src/tools/run-tool.ts';
import type { CallContext } from '../../src/tools/tool.ts';
import { memoryOf } from './memory-of.ts';
import { serve, settings } from './serve.ts';

const { root } = settings() as { root: string };
const workspace = await localBackend({ root }).open({ owner: 'bench', sessionId: 's1' });
const bash = workspaceTools(workspace, { tools: ['bash'] })[0]!;
const context: CallContext = {
  owner: 'bench',
  sessionId: 's1',
  turnId: 'turn/bench/s1/1',
  callId: 'call',
  idempotencyKey: 'key',
  attempt: 1,
  signal: new AbortController().signal,
  slots: { read: async () => undefined, update: async () => undefined },
};

/** Megabytes by which the process grew at most while a command wrote this much, and how many bytes its result has. */
async function growth(megabytes: number): Promise<{ growth: number; resultBytes: number }> {
  const command = `head -c ${megabytes * 1_000_000} /dev/zero | tr '\\0' x | fold -w 100`;
  const before = await memoryOf();
  let highest = 0;
  const sampling = setInterval(() => {
    highest = Math.max(highest, process.memoryUsage.rss() / 1e6);
  }, 20);
  const hooks = { onText: () => undefined, onProgress: () => undefined };
  const { state, parts } = await runTool(bash, { command }, context, hooks);
  clearInterval(sampling);
  if (state !== 'success') throw new Error(JSON.stringify(parts));
  return { growth: highest - before, resultBytes: JSON.stringify(parts).length };
}

serve(undefined, { growth }, async () => undefined);
