import { posix } from 'node:path';
import { z } from 'zod';
import { defineTool } from '../tools/define-tool.ts';
import type { Tool } from '../tools/tool.ts';
import { hashOf } from './content-hash.ts';
import { diffText } from './diff-text.ts';
import { pathPermissions } from './path-permissions.ts';
import { relativePath } from './relative-path.ts';
import { replaceText } from './replace-text.ts';
import { decodeText, encodeText } from './text-file.ts';
import type { ToolSetting } from './tool-setting.ts';
import { rememberSeen, whyUnseen } from './workspace-state.ts';
import { maxEditableBytes } from './write-tool.ts';

const input = z.object({
  path: z.string().min(1).describe('Relative to the workspace, or absolute'),
  oldText: z.string().min(1).describe('What is in the file now, to the letter, without line numbers'),
  newText: z.string().describe('What takes its place'),
  replaceAll: z.boolean().optional().describe('Replaces every occurrence. Default: there must be just one'),
});

export function editTool({ workspace, paths, beforeChange }: ToolSetting): Tool {
  return defineTool({
    name: 'edit',
    description:
      'Replaces text in a file of the workspace that was read before. The old text must occur once: give enough lines around it, or set replaceAll.',
    input,
    ...pathPermissions<z.infer<typeof input>>('edit', workspace, 'edit', paths),
    editTargets: ({ path }) => [posix.resolve(workspace.root, path)],
    async execute({ path, oldText, newText, replaceAll = false }, context) {
      const bytes = await workspace.read(path, { maxBytes: maxEditableBytes });
      const name = await relativePath(workspace, path);
      const file = decodeText(name, bytes);
      const unseen = await whyUnseen(workspace, context.slots, name);
      if (unseen !== undefined) throw new Error(unseen);
      const plain = (text: string) => (file.isCrlf ? text.replaceAll('\r\n', '\n') : text);
      const change = { oldText: plain(oldText), newText: plain(newText), replaceAll };
      const { text, count } = replaceText(name, file.text, change);
      const draft = encodeText({ ...file, text });
      await beforeChange(context);
      await workspace.write(path, draft);
      await rememberSeen(context.slots, name, hashOf(draft));
      const places = count === 1 ? 'one place' : `${count} places`;
      return `Changed ${name} in ${places}.\n${diffText(name, file.text, text)}`;
    },
  });
}
