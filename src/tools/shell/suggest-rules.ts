import { isStatic, type ShellAnalysis, type ShellPart } from './analysis.ts';
import { checkCommand, type CommandContext } from './check-command.ts';
import { matchesCommandRule } from './command-rule.ts';
import { isEditCommand } from './edit-targets.ts';
import { parseShell } from './parse-shell.ts';
import { partText } from './part-text.ts';
import { isReadOnlyAmong, opaqueFeatures } from './read-only.ts';
import { isInterpreter } from './interpreters.ts';
import { baseName, isWrapper } from './wrappers.ts';

const maxParts = 5;
/** Their first argument is data, not a subcommand. */
const takesData =
  /^(?:curl|wget|kill|pkill|killall|awk|jq|open|tar|zip|unzip|npx|bunx|uvx|scp|rsync|install|truncate)$/;
/** After these the next word says what runs, and without it a rule would cover everything. */
const runs = /^(?:run|run-script)$/;
const runsAnything = /^(?:exec|x|dlx|tool|shell)$/;
const plainWord = /^[a-z][a-z0-9]*(?:[-:_.][a-z0-9]+)*$/i;

/** Where nothing is special but what is special everywhere. */
const anywhere: CommandContext = { workingDirectories: [], home: '/home/-', cwd: '/-/-' };

/**
 * Patterns for allow rules that would let this command pass next time, narrowest first for each part that needs permission: the exact
 * command, then `program subcommand:*`. None for parts that are dangerous or known only when they run.
 */
export function suggestCommandRules(analysis: ShellAnalysis, context: CommandContext = anywhere): string[] {
  if (!analysis.ok || opaqueFeatures.some((feature) => analysis.features.has(feature))) return [];
  const parts = analysis.parts.filter(
    (part) => !part.wrapper && part.name !== '' && !isReadOnlyAmong(part, analysis.parts),
  );
  return [...new Set(parts.slice(0, maxParts).flatMap((part) => patternsFor(part, context)))];
}

function patternsFor(part: ShellPart, context: CommandContext): string[] {
  if (!part.words.every(isStatic) || !part.redirects.every(({ target }) => isStatic(target))) return [];
  const command = partText(part);
  const alone = parseShell(command);
  if (checkCommand(alone, context)) return [];
  const prefix = prefixOf(part);
  const patterns = [command.replace(/[\\*]/g, String.raw`\$&`), ...(prefix ? [`${prefix}:*`] : [])];
  // A rule that would not cover what it was made for helps nobody.
  return patterns.filter((pattern) => matchesCommandRule(alone, pattern, 'every'));
}

function prefixOf(part: ShellPart): string | undefined {
  const { name } = part;
  const [subcommand = '', script = ''] = part.args.map(({ value }) => value);
  const hasSubcommands =
    /^[\w.-]+$/.test(name) &&
    !takesData.test(name) &&
    !isEditCommand(name) &&
    !isWrapper(name) &&
    !isInterpreter(baseName(name));
  if (!hasSubcommands || !/^[a-z][\w:-]*$/i.test(subcommand) || runsAnything.test(subcommand))
    return undefined;
  if (!runs.test(subcommand)) return `${name} ${subcommand}`;
  return plainWord.test(script) ? `${name} ${subcommand} ${script}` : undefined;
}
