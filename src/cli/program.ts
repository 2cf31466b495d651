import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { auditCommand } from './audit.ts';
import { chatCommand } from './chat.ts';
import { commandNames, type CommandName } from './commands.ts';
import { confirmCommand } from './confirm.ts';
import { denyCommand } from './deny.ts';
import { devCommand } from './dev.ts';
import { doctorCommand } from './doctor.ts';
import { gatesCommand } from './gates.ts';
import { interruptCommand } from './interrupt.ts';
import { keysCommand } from './keys.ts';
import { mcpCommand } from './mcp.ts';
import { reconcileCommand } from './reconcile.ts';
import { resultCommand } from './result.ts';
import { runCommand } from './run.ts';
import { scheduleCommand } from './schedule.ts';
import { serveCommand } from './serve.ts';
import { sessionsCommand } from './sessions.ts';
import { showCommand } from './show.ts';
import { skillsCommand } from './skills.ts';
import { steerCommand } from './steer.ts';
import { teamCommand } from './team.ts';
import { toolsCommand } from './tools.ts';
import { workerCommand } from './worker.ts';
import { workspaceCommand } from './workspace.ts';

const makers: Record<CommandName, () => Command> = {
  dev: devCommand,
  worker: workerCommand,
  serve: serveCommand,
  run: runCommand,
  chat: chatCommand,
  sessions: sessionsCommand,
  show: showCommand,
  team: teamCommand,
  gates: gatesCommand,
  confirm: confirmCommand,
  deny: denyCommand,
  result: resultCommand,
  reconcile: reconcileCommand,
  audit: auditCommand,
  interrupt: interruptCommand,
  steer: steerCommand,
  schedule: scheduleCommand,
  tools: toolsCommand,
  skills: skillsCommand,
  workspace: workspaceCommand,
  mcp: mcpCommand,
  keys: keysCommand,
  doctor: doctorCommand,
};

/** The whole command line. It throws a `CommanderError` where commander would end the process. */
export function buildProgram(): Command {
  const program = new Command('durascope')
    .description('Durable agents on Temporal: run them, watch them, answer them.')
    .version(ownVersion())
    .addHelpText(
      'after',
      '\nExample:\n  $ durascope dev\n  $ durascope run support "Where is order 1001?"\n\n' +
        'Exit codes: 0 done; 1 not done; 2 wrong usage; 130 ended by a second Ctrl-C.\n' +
        'DURASCOPE_DEBUG=1 adds stacks to errors.\n',
    )
    // An option after the name of a command is that command's, where its parent has one of the same name.
    .enablePositionalOptions()
    .showHelpAfterError('See --help of this command.');
  for (const name of commandNames) program.addCommand(makers[name]());
  for (const command of withSubcommands(program)) command.exitOverride();
  return program;
}

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}

function ownVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
