import type { PermissionBehavior, PermissionDecision, PermissionRule } from '../../core/permission.ts';
import { checkCommand, type CommandContext } from './check-command.ts';
import { allowRulesCover, isFullyKnown, matchesCommandRule } from './command-rule.ts';
import { editTargets } from './edit-targets.ts';
import { parseShell } from './parse-shell.ts';
import { isReadOnlyCommand } from './read-only.ts';
import { suggestCommandRules } from './suggest-rules.ts';

/** What of a tool's options says who may run which command. */
interface CommandOptions<Input> {
  readOnly: (input: Input) => boolean;
  opaque: (input: Input) => boolean;
  permission: (input: Input) => PermissionDecision | undefined;
  matchRule: (input: Input, pattern: string, behavior: PermissionBehavior) => boolean;
  coversTogether: (input: Input, patterns: readonly string[]) => boolean;
  suggestRules: (input: Input) => PermissionRule[];
  editTargets: (input: Input) => readonly string[] | undefined;
}

/**
 * The gate of a tool that runs shell commands, to be spread into its options: rules read each part of the command, only what is known to
 * read passes as read-only, and what is dangerous or can't be judged asks whatever the rules allow.
 *
 * @param tool the tool's name, for the rules that it suggests
 * @param commandOf the command line in the tool's input
 * @param context where the command runs. All paths absolute.
 * @example
 * defineTool({ name: 'bash', description: '…', input: z.object({ command: z.string() }), execute: run,
 *   ...commandPermissions('bash', ({ command }: { command: string }) => command, { cwd: '/srv/work', home: '/root', workingDirectories: ['/srv/work'] }) });
 */
export function commandPermissions<Input>(
  tool: string,
  commandOf: (input: Input) => string,
  context: CommandContext,
): CommandOptions<Input> {
  // One call asks for its analysis once for each rule.
  let last = parseShell('');
  const analysisOf = (input: Input) => {
    const command = commandOf(input);
    if (last.source !== command) last = parseShell(command);
    return last;
  };
  return {
    // The read-only pass comes before the check: what shows a secret must not slip through it.
    readOnly: (input) => {
      const analysis = analysisOf(input);
      return isReadOnlyCommand(analysis, context.paths) && checkCommand(analysis, context) === undefined;
    },
    opaque: (input) => !isFullyKnown(analysisOf(input)),
    permission: (input) => checkCommand(analysisOf(input), context),
    matchRule: (input, pattern, behavior) =>
      matchesCommandRule(analysisOf(input), pattern, behavior === 'allow' ? 'every' : 'some'),
    coversTogether: (input, patterns) => allowRulesCover(analysisOf(input), patterns),
    suggestRules: (input) =>
      suggestCommandRules(analysisOf(input), context).map((pattern) => ({
        tool,
        pattern,
        behavior: 'allow',
      })),
    editTargets: (input) => editTargets(analysisOf(input), context),
  };
}
