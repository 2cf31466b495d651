import { CommanderError } from 'commander';
import { UsageError } from './command-error.ts';
import { exitCode } from './exit-codes.ts';
import { buildProgram } from './program.ts';
import { reportError } from './report-error.ts';

// Whoever reads it has seen enough, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(exitCode.ok);
  throw error;
});

try {
  await (await buildProgram(process.argv.slice(2))).parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    // It has printed what it had to say; help and version are no errors.
    process.exitCode = error.exitCode === 0 ? exitCode.ok : exitCode.usage;
  } else {
    reportError(error, process.argv.includes('--json'));
    process.exitCode = error instanceof UsageError ? exitCode.usage : exitCode.failed;
  }
}
