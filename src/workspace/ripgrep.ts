import { ownFolder } from './session-folder.ts';
import { WorkspaceError, type Workspace } from './workspace.ts';

/** The one that comes with this package, on platforms that it exists for. */
export async function bundledRipgrep(): Promise<string | undefined> {
  try {
    return (await import('@vscode/ripgrep')).rgPath;
  } catch {
    return undefined;
  }
}

const found = new WeakMap<Workspace, Promise<string>>();

const findScript = 'command -v rg || { [ -x "$1" ] && echo "$1"; }';

/** ripgrep as commands of this workspace can run it: on their PATH, or the one that comes along. @throws WorkspaceError */
export function findRipgrep(workspace: Workspace): Promise<string> {
  const known = found.get(workspace);
  if (known) return known;
  const finding = find(workspace);
  found.set(workspace, finding);
  finding.catch(() => found.delete(workspace));
  return finding;
}

async function find(workspace: Workspace): Promise<string> {
  const bundled = (await bundledRipgrep()) ?? '';
  const { stdout } = await collect(workspace, ['/bin/sh', '-c', findScript, 'sh', bundled], {
    timeoutMs: 30_000,
    signal: new AbortController().signal,
  });
  const [path = ''] = stdout.split('\n');
  if (path === '')
    throw new WorkspaceError(
      'unavailable',
      'grep needs ripgrep, and commands of this workspace find no rg: install it there (Debian: apt-get install ripgrep), or search with bash',
    );
  return path;
}

async function collect(
  workspace: Workspace,
  argv: readonly [string, ...string[]],
  limits: { timeoutMs: number; signal: AbortSignal },
): Promise<{ stdout: string }> {
  let stdout = '';
  for await (const { from, bytes } of workspace.exec({ argv }, limits))
    if (from === 'stdout') stdout += bytes.toString();
  return { stdout };
}

export interface RipgrepSearch {
  /** Its own options and the pattern, without the path. */
  args: readonly string[];
  /** What ends a record of its output. */
  separator: '\n' | '\0';
  path: string;
  timeoutMs: number;
  signal: AbortSignal;
}

const maxErrorChars = 2_000;

/** Yields the records of its output; who stops early ends it. @throws Error saying what ripgrep says. */
export async function* searchRecords(
  workspace: Workspace,
  { args, separator, path, ...limits }: RipgrepSearch,
): AsyncGenerator<Buffer, void, void> {
  const program = await findRipgrep(workspace);
  const always = ['--no-config', '--hidden', '--no-require-git', '--sort', 'path', '--max-filesize', '50M'];
  const excluded = ['.git', '.hg', '.svn', ownFolder].flatMap((name) => ['--glob', `!**/${name}/**`]);
  const argv: [string, ...string[]] = [program, ...always, ...excluded, ...args, '--', path];
  const execution = workspace.exec({ argv }, limits);
  // A name may be no UTF-8: bytes are kept as they are.
  let rest = '';
  let errors = '';
  try {
    for (;;) {
      const step = await execution.next();
      if (step.done) {
        if (step.value.by === 'timeout')
          throw new Error(
            `the search was ended at its limit of ${limits.timeoutMs / 1000} s: search a smaller folder`,
          );
        limits.signal.throwIfAborted();
        // 1 says that nothing was found; 2 comes with results, when some files could not be read.
        if (step.value.exitCode === 2 && errors !== '' && rest === '') throw new Error(errors.trim());
        if (rest !== '') yield Buffer.from(rest, 'latin1');
        return;
      }
      const { from, bytes } = step.value;
      if (from === 'stderr') {
        errors = (errors + bytes.toString()).slice(0, maxErrorChars);
        continue;
      }
      const records = (rest + bytes.toString('latin1')).split(separator);
      rest = records.pop() ?? '';
      for (const record of records) yield Buffer.from(record, 'latin1');
    }
  } finally {
    await execution.return({ exitCode: null, signal: null, by: 'abort' });
  }
}
