import { posix } from 'node:path';
import { z } from 'zod';
import { defineTool } from '../tools/define-tool.ts';
import type { Tool } from '../tools/tool.ts';
import { diffText } from './diff-text.ts';
import { pathPermissions } from './path-permissions.ts';
import { relativePath } from './relative-path.ts';
import { decodeText, encodeText, linesOf, type TextFile } from './text-file.ts';
import type { ToolSetting } from './tool-setting.ts';
import { rememberSeen, whyUnseen } from './workspace-state.ts';
import { hashOf } from './content-hash.ts';

export const maxEditableBytes = 20 * 1024 * 1024;

const input = z.object({
  path: z.string().min(1).describe('Relative to the workspace, or absolute'),
  content: z.string().describe('All of the new content'),
});

export function writeTool({ workspace, paths, beforeChange }: ToolSetting): Tool {
  return defineTool({
    name: 'write',
    description:
      'Writes a whole file of the workspace, and makes its folders. A file that exists must have been read before. To change parts of a file, use edit.',
    input,
    ...pathPermissions<z.infer<typeof input>>('write', workspace, 'edit', paths),
    editTargets: ({ path }) => [posix.resolve(workspace.root, path)],
    async execute({ path, content }, context) {
      const before = await workspace.stat(path);
      if (!before) {
        await beforeChange(context);
        const bytes = new TextEncoder().encode(content);
        await workspace.write(path, bytes);
        const name = await relativePath(workspace, path);
        await rememberSeen(context.slots, name, hashOf(bytes));
        return `Wrote ${name}, which is new (${linesOf(content).length} lines).`;
      }
      const name = await relativePath(workspace, path);
      const bytes = await workspace.read(path, { maxBytes: maxEditableBytes });
      const unseen = await whyUnseen(workspace, context.slots, name);
      if (unseen !== undefined) throw new Error(unseen);
      const old: TextFile = decodeText(name, bytes);
      const draft = encodeText({ ...old, text: content });
      if (hashOf(draft) === hashOf(bytes)) return `${name} has this content already: nothing was written.`;
      await beforeChange(context);
      await workspace.write(path, draft);
      await rememberSeen(context.slots, name, hashOf(draft));
      return `Wrote ${name} (${linesOf(content).length} lines).\n${diffText(name, old.text, content)}`;
    },
  });
}
