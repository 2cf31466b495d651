import type { PathPolicy } from '../tools/paths/sensitive-paths.ts';
import type { ToolContext } from '../tools/tool.ts';
import type { Workspace } from './workspace.ts';

/** What the tools of one session's workspace share. */
export interface ToolSetting {
  workspace: Workspace;
  paths?: Partial<PathPolicy>;
  /** Awaited by every tool before it may change something. */
  beforeChange: (call: Pick<ToolContext, 'turnId' | 'signal' | 'progress'>) => Promise<void>;
}
