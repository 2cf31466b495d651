import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Terminal } from './terminal.ts';

/** What the command line of every example takes. */
export interface ExampleOptions {
  /** The npm script. */
  script: string;
  /** What `--yes` approves. */
  approves: string;
  /** What is kept in the folder. */
  keeps: string;
  /** Its default. */
  folder: string;
  /** Told when it is interrupted. */
  onInterrupt(folder: string): string;
}

/** What an example has to work with. */
export interface Play {
  terminal: Terminal;
  folder: string;
  /** It approves by itself what is asked for. */
  isAutomatic: boolean;
  log: (line: string) => void;
  /** Takes what ends a part, in the order of their start. */
  onStop: (stop: () => unknown) => void;
}

/** Runs an example until it ends, fails or is interrupted, and then stops all that it started. @param perform returns the exit code */
export async function runExample(
  options: ExampleOptions,
  perform: (play: Play) => Promise<number>,
): Promise<void> {
  const { values } = parseArgs({
    options: {
      yes: { type: 'boolean', default: false },
      dir: { type: 'string', default: options.folder },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(usageOf(options));

  const terminal = new Terminal();
  const stops: (() => unknown)[] = [];
  let isStopping = false;
  /** In reverse: what was started last may need what was started before. */
  const stopAll = async (): Promise<void> => {
    if (isStopping) return;
    isStopping = true;
    terminal.endCountdown();
    for (const stop of stops.toReversed()) await stop();
  };
  const interrupted = async (): Promise<void> => {
    terminal.line(`\nStopping. ${options.onInterrupt(values.dir)}`);
    await stopAll();
    process.exit(130);
  };
  process.once('SIGINT', () => void interrupted());
  process.once('SIGTERM', () => void interrupted());
  try {
    process.exitCode = await perform({
      terminal,
      folder: resolve(values.dir),
      isAutomatic: values.yes,
      log: (line) => terminal.line(`  ${line}`),
      onStop: (stop) => stops.push(stop),
    });
  } catch (error) {
    // What fails while all is being stopped is no news.
    if (isStopping) return;
    terminal.line(`\n${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
  await stopAll();
}

function usageOf({ script, approves, keeps, folder }: ExampleOptions): string {
  return `npm run ${script} -- [--yes] [--dir FOLDER]

  --yes   approves ${approves}
  --dir   keeps ${keeps} here (default ${folder})

With OPENAI_API_KEY (or OPENAI_BASE_URL) a real model answers: openai/gpt-5-mini, or what DURASCOPE_DEMO_MODEL names.`;
}
