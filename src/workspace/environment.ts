/** Of this process's environment, what says how to write and nothing of who runs it. */
const passedOn = ['LANG', 'LC_ALL', 'LC_CTYPE', 'TZ'] as const;

export const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export interface EnvironmentOptions {
  /** Variables for commands. Secrets among them can be read by every command. */
  env?: Readonly<Record<string, string>>;
  /** Names of variables of the worker that commands get too. */
  passEnv?: readonly string[];
}

/** The environment of commands: nothing of the worker's own but what is named here. */
export function scrubbedEnvironment(
  { env = {}, passEnv = [] }: EnvironmentOptions,
  fixed: Readonly<Record<string, string>>,
): Record<string, string> {
  const passed = [...passedOn, ...passEnv].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    NO_COLOR: '1',
    PAGER: 'cat',
    GIT_PAGER: 'cat',
    GIT_TERMINAL_PROMPT: '0',
    ...Object.fromEntries(passed),
    ...fixed,
    ...env,
  };
}
