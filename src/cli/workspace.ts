import { Argument, type Command } from 'commander';
import { createAgentRegistry } from '../agents/agent-registry.ts';
import type { SessionDetails } from '../client/index.ts';
import type { Settings } from '../settings/settings.ts';
import type { Snapshot, WorkspaceSnapshots } from '../workspace/snapshots.ts';
import { isWorkspaceSource } from '../workspace/workspace-source.ts';
import { CommandError, UsageError } from './command-error.ts';
import { defineCommand, flagsOf, type CommonOptions } from './define-command.ts';
import { existingSession } from './existing-session.ts';
import { openReader, withClient } from './open-client.ts';
import { notice, printJson, printLines } from './output.ts';
import { oneLine, table } from './text.ts';

export function workspaceCommand(): Command {
  return defineCommand(
    'workspace',
    "list the snapshots of a session's workspace, or restore one of them",
    'durascope workspace list case-42\ndurascope workspace restore case-42 7\ndurascope workspace restore case-42 undo',
  )
    .addArgument(new Argument('<action>', 'what to do').choices(['list', 'restore']))
    .argument('<session>', 'its id, as "durascope sessions" lists it')
    .argument('[snapshot]', 'to restore: the number of the turn before which it was taken, or undo')
    .action(workspace);
}

async function workspace(
  action: 'list' | 'restore',
  id: string,
  snapshot: string | undefined,
  options: CommonOptions,
): Promise<void> {
  if (action === 'restore' && snapshot === undefined)
    throw new UsageError(`name the snapshot to restore: "durascope workspace list ${id}" lists them`);
  await withClient(
    flagsOf(options),
    async (client, settings) => {
      const { details } = await existingSession(client, settings.owner, id);
      const snapshots = await snapshotsOf(settings, details, id);
      if (snapshot === undefined || action === 'list') {
        const failure = await snapshots.failure();
        if (failure) notice(`no snapshot before turn ${failure.id} (${failure.at}): ${failure.why}`);
        return list(await snapshots.list(), options);
      }
      if (details.state !== 'idle')
        throw new CommandError(
          'busy',
          `a turn of ${id} is ${details.state}, and may work in the files: interrupt it, or wait for its end`,
        );
      await snapshots.restore(snapshot).catch((cause: Error) => {
        throw new CommandError('not_restored', cause.message, { cause });
      });
      if (options.json) printJson({ sessionId: id, restored: snapshot });
      else printLines([`restored ${snapshot}. To take that back: durascope workspace restore ${id} undo`]);
    },
    openReader,
    // It alone knows the agent's workspace.
    { needsConfig: true },
  );
}

async function snapshotsOf(
  { config, owner }: Settings,
  { agent: name }: SessionDetails,
  sessionId: string,
): Promise<WorkspaceSnapshots> {
  const agent = createAgentRegistry(config?.agents ?? []).get(name);
  const groups = Object.values(agent.toolGroups).flatMap(({ sources = [] }) => sources);
  const source = [...agent.sources, ...groups].find(isWorkspaceSource);
  if (!source) throw new CommandError('no_workspace', `the agent ${name} has no workspace among its sources`);
  return source.snapshots({ owner, sessionId });
}

function list(snapshots: readonly Snapshot[], options: CommonOptions): void {
  if (options.json) return printJson(snapshots);
  if (snapshots.length === 0) return notice('no snapshots of this workspace are on this machine');
  const rows = snapshots.map(({ id, at, files, leftOut, leftOutCount }) => [
    id,
    at,
    String(files),
    leftOutCount === 0
      ? ''
      : oneLine(`${leftOutCount}: ${leftOut.map(({ path, why }) => `${path} (${why})`).join(', ')}`, 80),
  ]);
  printLines(table(['BEFORE TURN', 'TAKEN', 'FILES', 'LEFT OUT'], rows));
}
