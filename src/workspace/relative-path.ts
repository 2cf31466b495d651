import { posix } from 'node:path';
import type { Workspace } from './workspace.ts';

/** As it is shown and remembered: below the root, links resolved. */
export async function relativePath(workspace: Workspace, path: string): Promise<string> {
  return posix.relative(workspace.root, await workspace.realpath(path)) || '.';
}
