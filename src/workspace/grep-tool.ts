import { posix } from 'node:path';
import { z } from 'zod';
import { headOf } from '../core/head-of.ts';
import { defineTool } from '../tools/define-tool.ts';
import { isSensitivePath } from '../tools/paths/sensitive-paths.ts';
import type { Tool } from '../tools/tool.ts';
import { shownName } from './odd-names.ts';
import { isDenied, noteOfDenied, pathPermissions } from './path-permissions.ts';
import { relativePath } from './relative-path.ts';
import { searchRecords, type RipgrepSearch } from './ripgrep.ts';
import type { ToolSetting } from './tool-setting.ts';

const timeoutMs = 30_000;
const defaultLimit = 250;
const maxLineChars = 500;

const lines = (what: string) => z.number().int().min(0).max(100).optional().describe(what);

const input = z.object({
  pattern: z.string().min(1).describe('A regular expression of ripgrep'),
  path: z.string().optional().describe('A file or folder. Default: the workspace'),
  outputMode: z
    .enum(['files', 'content', 'count'])
    .optional()
    .describe(
      'files: paths of files that match (the default); content: the lines; count: matching lines a file',
    ),
  glob: z.string().optional().describe('Only files such as *.ts or !*.test.ts'),
  type: z.string().optional().describe('Only files of a type of ripgrep, such as ts or py'),
  before: lines('Lines of content before each match'),
  after: lines('Lines of content after each match'),
  context: lines('Lines of content before and after each match'),
  ignoreCase: z.boolean().optional(),
  multiline: z.boolean().optional().describe('Matches may go over several lines, and . matches line ends'),
  limit: z.number().int().min(1).max(10_000).optional().describe(`How many results. Default ${defaultLimit}`),
  offset: z.number().int().min(0).optional().describe('How many results to leave out first'),
});

type Input = z.infer<typeof input>;

export function grepTool({ workspace, paths }: ToolSetting): Tool {
  return defineTool({
    name: 'grep',
    description:
      'Searches the content of files in the workspace with ripgrep. Files that .gitignore names are left out, and so are those that may hold secrets, unless path names one.',
    input,
    readOnly: true,
    timeout: timeoutMs + 30_000,
    ...pathPermissions<Input>('grep', workspace, 'read', paths),
    async execute(
      { path = '.', offset = 0, limit = defaultLimit, ...search },
      { signal, deniedPatterns = [] },
    ) {
      const mode = modes[search.outputMode ?? 'files'];
      // By its name below the root: what begins with a dash or leads elsewhere is no option and no other place.
      const target = await relativePath(workspace, path);
      if (!(await workspace.stat(path))) throw new Error(`${path} does not exist`);
      const records = searchRecords(workspace, {
        args: [...mode.args(search), ...argumentsOf(search)],
        separator: mode.separator,
        path: target === '.' ? '.' : `./${target}`,
        timeoutMs,
        signal,
      });
      const shown: string[] = [];
      const secret = new Set<string>();
      const isForbidden = onceEach(
        (file) =>
          deniedPatterns.length > 0 &&
          isDenied(workspace, posix.resolve(workspace.root, file), deniedPatterns),
      );
      let seen = 0;
      let isMore = false;
      for await (const record of records) {
        const result = mode.read(record);
        if (!result) continue;
        const file = posix.normalize(result.path);
        if (isForbidden(file)) continue;
        if (file !== target && isSensitivePath(file, paths)) {
          secret.add(file);
          continue;
        }
        seen += 1;
        if (seen <= offset) continue;
        isMore = shown.length === limit;
        if (isMore) break;
        shown.push(result.show(file));
      }
      const notes = [
        ...noteOfDenied(deniedPatterns),
        ...(isMore ? [`[More follow: go on with offset ${offset + limit}.]`] : []),
        ...(secret.size > 0
          ? [`[Left out, because they may hold secrets: ${[...secret].slice(0, 10).join(', ')}.]`]
          : []),
      ];
      if (shown.length === 0)
        return [
          seen > 0 ? `No more than ${seen} results.` : `Nothing matches ${search.pattern}.`,
          ...notes,
        ].join('\n');
      return [...shown, ...notes].join('\n');
    },
  });
}

/** A file has many records. */
function onceEach(test: (file: string) => boolean): (file: string) => boolean {
  const known = new Map<string, boolean>();
  return (file) => {
    const before = known.get(file) ?? test(file);
    known.set(file, before);
    return before;
  };
}

type Search = Omit<Input, 'path' | 'offset' | 'limit'>;

interface Result {
  path: string;
  show(file: string): string;
}

interface Mode extends Pick<RipgrepSearch, 'separator'> {
  args(search: Search): string[];
  /** Undefined for what is no result. */
  read(record: Buffer): Result | undefined;
}

const modes: Record<NonNullable<Input['outputMode']>, Mode> = {
  files: {
    separator: '\0',
    args: () => ['--files-with-matches', '--null'],
    read: (path) => (path.length === 0 ? undefined : { path: shownName(path).name, show: (file) => file }),
  },
  count: {
    separator: '\n',
    args: () => ['--count', '--null', '--with-filename'],
    read(record) {
      const at = record.indexOf(0);
      const path = shownName(record.subarray(0, Math.max(at, 0))).name;
      const count = record.toString('utf8', at + 1);
      return path && count ? { path, show: (file) => `${file}: ${count}` } : undefined;
    },
  },
  content: {
    separator: '\n',
    args: ({ before, after, context }) => [
      '--json',
      ...(before === undefined ? [] : ['--before-context', String(before)]),
      ...(after === undefined ? [] : ['--after-context', String(after)]),
      ...(context === undefined ? [] : ['--context', String(context)]),
    ],
    read(record) {
      const event = JSON.parse(record.toString()) as RipgrepEvent;
      if (event.type !== 'match' && event.type !== 'context') return undefined;
      const { path, lines, line_number: first } = event.data;
      const mark = event.type === 'match' ? ':' : '-';
      return {
        path: 'text' in path ? path.text : shownName(Buffer.from(path.bytes, 'base64')).name,
        show: (file) =>
          textOf(lines)
            .replace(/\n$/, '')
            .split('\n')
            .map((line, index) => `${file}${mark}${(first ?? 1) + index}${mark}${cut(line)}`)
            .join('\n'),
      };
    },
  },
};

/** What ripgrep writes with `--json`; bytes that are no UTF-8 come as base64. */
type RipgrepText = { text: string } | { bytes: string };
type RipgrepEvent =
  | { type: 'match' | 'context'; data: { path: RipgrepText; lines: RipgrepText; line_number: number | null } }
  | { type: 'begin' | 'end' | 'summary' };

function textOf(text: RipgrepText): string {
  return 'text' in text ? text.text : Buffer.from(text.bytes, 'base64').toString();
}

function cut(line: string): string {
  return line.length > maxLineChars ? `${headOf(line, maxLineChars)}[cut]` : line;
}

function argumentsOf({ pattern, glob, type, ignoreCase, multiline }: Search): string[] {
  return [
    ...(glob === undefined ? [] : ['--glob', glob]),
    ...(type === undefined ? [] : ['--type', type]),
    ...(ignoreCase ? ['--ignore-case'] : []),
    ...(multiline ? ['--multiline', '--multiline-dotall'] : []),
    '--regexp',
    pattern,
  ];
}
