import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { commandNames, type CommandName } from './commands.ts';

/** Each brings much with it: only what is asked for is loaded. */
const makers: Record<CommandName, () => Promise<Command>> = {
  dev: async () => (await import('./dev.ts')).devCommand(),
  worker: async () => (await import('./worker.ts')).workerCommand(),
  serve: async () => (await import('./serve.ts')).serveCommand(),
  run: async () => (await import('./run.ts')).runCommand(),
  chat: async () => (await import('./chat.ts')).chatCommand(),
  sessions: async () => (await import('./sessions.ts')).sessionsCommand(),
  show: async () => (await import('./show.ts')).showCommand(),
  team: async () => (await import('./team.ts')).teamCommand(),
  background: async () => (await import('./background.ts')).backgroundCommand(),
  gates: async () => (await import('./gates.ts')).gatesCommand(),
  confirm: async () => (await import('./confirm.ts')).confirmCommand(),
  deny: async () => (await import('./deny.ts')).denyCommand(),
  result: async () => (await import('./result.ts')).resultCommand(),
  reconcile: async () => (await import('./reconcile.ts')).reconcileCommand(),
  audit: async () => (await import('./audit.ts')).auditCommand(),
  interrupt: async () => (await import('./interrupt.ts')).interruptCommand(),
  steer: async () => (await import('./steer.ts')).steerCommand(),
  schedule: async () => (await import('./schedule.ts')).scheduleCommand(),
  pipeline: async () => (await import('./pipeline.ts')).pipelineCommand(),
  tools: async () => (await import('./tools.ts')).toolsCommand(),
  skills: async () => (await import('./skills.ts')).skillsCommand(),
  workspace: async () => (await import('./workspace.ts')).workspaceCommand(),
  mcp: async () => (await import('./mcp.ts')).mcpCommand(),
  keys: async () => (await import('./keys.ts')).keysCommand(),
  doctor: async () => (await import('./doctor.ts')).doctorCommand(),
};

/**
 * The command line for these arguments: the command that they name, else all of them. It throws a `CommanderError` where commander would
 * end the process.
 */
export async function buildProgram(args: readonly string[]): Promise<Command> {
  const program = new Command('durascope')
    .description('Durable agents on Temporal: run them, watch them, answer them.')
    .version(ownVersion())
    .addHelpText(
      'after',
      '\nExample:\n  $ durascope dev\n  $ durascope run support "Where is order 1001?"\n\n' +
        'Exit codes: 0 done; 1 not done; 2 wrong usage; 130 ended by a second Ctrl-C.\n' +
        'DURASCOPE_DEBUG=1 adds stacks to errors.\n',
    )
    .showHelpAfterError('See --help of this command.');
  const asked = commandNames.filter((name) => name === args[0]);
  for (const name of asked.length > 0 ? asked : commandNames) program.addCommand(await makers[name]());
  // An option after the name of a command is that command's, where its parent has one of the same name.
  for (const command of withSubcommands(program)) command.exitOverride().enablePositionalOptions();
  return program;
}

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}

function ownVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
