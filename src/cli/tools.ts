import type { Command } from 'commander';
import { createAgentRegistry } from '../agents/agent-registry.ts';
import { resolveSettings } from '../settings/settings.ts';
import { defineCommand, flagsOf, type CommonOptions } from './define-command.ts';
import { listTools, type ToolListing } from './list-tools.ts';
import { notice, printJson, printLines } from './output.ts';
import { oneLine, printable, table } from './text.ts';
import { withToolScope } from './tool-scope.ts';

export function toolsCommand(): Command {
  return defineCommand(
    'tools',
    'list the tools of an agent: group, where they come from, what they need to run',
    'durascope tools support\ndurascope tools support --json',
  )
    .argument('<agent>', 'its name, as in the config')
    .action(tools);
}

async function tools(name: string, options: CommonOptions): Promise<void> {
  const settings = await resolveSettings(flagsOf(options), { needsConfig: true });
  const agents = settings.config?.agents ?? [];
  const agent = createAgentRegistry(agents).get(name);
  const listing = await withToolScope(settings, (scope) => listTools(agent, settings.owner, scope));
  if (options.json) return printJson(listing);
  if (listing.tools.length === 0) notice(`${name} has no tools`);
  else printLines(renderTools(listing));
  for (const { source, why } of listing.missing) notice(`${source} has no tools now: ${oneLine(why, 200)}`);
}

/** Pure. */
export function renderTools({ tools: listed }: ToolListing): string[] {
  const rows = listed.map(({ name, group, source, permission, description }) => [
    printable(name),
    group,
    printable(source),
    oneLine(permission, 60),
    oneLine(description, 80),
  ]);
  return table(['TOOL', 'GROUP', 'SOURCE', 'PERMISSION', 'DOES'], rows);
}
