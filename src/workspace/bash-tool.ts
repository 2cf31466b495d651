import { z } from 'zod';
import type { Coverage } from '../core/permission.ts';
import { defineTool } from '../tools/define-tool.ts';
import { commandPermissions } from '../tools/shell/command-permissions.ts';
import { mayMatchPathRule } from '../tools/paths/path-rule.ts';
import { namedPaths } from '../tools/shell/named-paths.ts';
import { parseShell } from '../tools/shell/parse-shell.ts';
import { maybeRead, writtenPaths, type ReachedPaths } from '../tools/shell/reached-paths.ts';
import type { Tool, ToolContext } from '../tools/tool.ts';
import { OutputLog, type OutputLimits } from './output-log.ts';
import { isDenied } from './path-permissions.ts';
import { folderName, ownFolder } from './session-folder.ts';
import type { ToolSetting } from './tool-setting.ts';
import { WorkspaceError, type ExecEnd } from './workspace.ts';

const defaultTimeoutMs = 120_000;
const maxTimeoutMs = 600_000;
const outputLimits: OutputLimits = { maxChars: 30_000, maxBytes: 1024 ** 3 };

const input = z.object({
  command: z.string().min(1).describe('A command line for bash'),
  description: z
    .string()
    .optional()
    .describe('What it does, in five to ten words, for the people who approve it'),
  timeout: z
    .number()
    .int()
    .min(1)
    .max(maxTimeoutMs)
    .optional()
    .describe(`Limit in milliseconds. Default ${defaultTimeoutMs}, at most ${maxTimeoutMs}`),
});

export function bashTool({ workspace, paths, beforeChange }: ToolSetting): Tool {
  const { root, home } = workspace;
  const place = { cwd: root, home };
  // Every rule asks for them again.
  let last: { command: string; read: ReachedPaths; written: ReachedPaths } | undefined;
  const reachOf = (command: string) => {
    if (last?.command === command) return last;
    const analysis = parseShell(command);
    const read = { named: namedPaths(analysis, place), guesses: maybeRead(analysis, place) };
    return (last = { command, read, written: writtenPaths(analysis, place) });
  };
  const covers = ({ named, guesses }: ReachedPaths, pattern: string): Coverage =>
    named.some((path) => isDenied(workspace, path, [pattern])) ||
    (guesses.some((guess) => mayMatchPathRule(guess, pattern, place)) && 'maybe');
  const permissions = commandPermissions('bash', ({ command }: z.infer<typeof input>) => command, {
    cwd: root,
    home,
    workingDirectories: [root],
    ...(paths ? { paths } : {}),
  });
  return defineTool({
    name: 'bash',
    description: `Runs a command line in the workspace ${root}. Each call is a shell of its own: no folder, variable or process is left for the next one, and what it starts in the background ends with it. Standard input is empty. Read, change and find files with the other tools where they can do it.`,
    input,
    timeout: maxTimeoutMs + 30_000,
    ...permissions,
    // What else a command reads or writes is known only when it runs: a sandbox keeps that from it.
    boundBy: {
      read: ({ command }, pattern) => covers(reachOf(command).read, pattern),
      write: ({ command }, pattern) => covers(reachOf(command).written, pattern),
      edit: ({ command }, pattern) => covers(reachOf(command).written, pattern),
    },
    async *execute({ command, timeout = defaultTimeoutMs }, context) {
      if (!permissions.readOnly({ command })) await beforeChange(context);
      return yield* runCommand(command, timeout, context);
    },
  });

  async function* runCommand(
    command: string,
    timeoutMs: number,
    { callId, signal }: ToolContext,
  ): AsyncGenerator<string, string, void> {
    const log = new OutputLog(workspace, `${ownFolder}/output/${folderName(callId)}.log`, outputLimits);
    const execution = workspace.exec({ shell: command }, { timeoutMs, signal });
    try {
      for (;;) {
        const step = await execution.next();
        if (step.done) return resultOf(step.value, log, timeoutMs);
        const shown = await log.add(step.value);
        if (shown !== '') yield shown;
        if (log.isFull)
          throw new Error(
            `it was ended because it wrote more than ${outputLimits.maxBytes} bytes.${whereAllIs(log)}`,
          );
      }
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof WorkspaceError ? new Error(error.message) : error;
    } finally {
      await execution.return({ exitCode: null, signal: null, by: 'abort' });
      await log.close();
    }
  }
}

/** What follows the text that was streamed. @throws Error when the command failed. */
function resultOf(end: ExecEnd, log: OutputLog, timeoutMs: number): string {
  const failure = failureOf(end, timeoutMs);
  if (failure !== undefined) {
    const output = log.tail === '' ? 'It wrote nothing.' : `The end of its output:\n${log.tail}`;
    throw new Error(`${failure} ${log.isBinary ? 'Its output is binary.' : output}${whereAllIs(log)}`);
  }
  if (log.isBinary) return `[The output is binary.${whereAllIs(log)}]`;
  if (log.isCut) return `\n[Cut here.${whereAllIs(log)} It ends with:]\n${log.unseenTail}`;
  return log.bytes === 0 ? '(no output)' : '';
}

function failureOf({ by, exitCode, signal }: ExecEnd, timeoutMs: number): string | undefined {
  if (by === 'timeout')
    return `the command was ended at its limit of ${timeoutMs} ms, with all that it started.`;
  if (signal !== null) return `the command was ended by ${signal}.`;
  return exitCode === 0 ? undefined : `the command ended with exit code ${exitCode}.`;
}

function whereAllIs({ isCut, path, bytes }: OutputLog): string {
  return isCut
    ? `\nAll ${bytes} bytes of the output are in ${path}: read parts of it, or search it with grep.`
    : '';
}
