/** Of this process's environment, what says how to write and nothing of who runs it. */
const passedOn = ['LANG', 'LC_ALL', 'LC_CTYPE', 'TZ'] as const;

export const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * Settings of git that no repository overrides. A folder with the files of a bare repository counts as one in the eyes of git, and its
 * settings name programs: so a command that only reads would run what an edit has put there.
 */
const gitSettings = [
  ['safe.bareRepository', 'explicit'],
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
] as const;

export interface EnvironmentOptions {
  /** Variables for commands. Secrets among them can be read by every command. */
  env?: Readonly<Record<string, string>>;
  /** Names of variables of the worker that commands get too. */
  passEnv?: readonly string[];
}

/** A back end's options as its definition says them: of variables their names alone, for a value may be a secret. */
export function definitionOf<T extends EnvironmentOptions>(options: T): Omit<T, 'env'> & { env: string[] } {
  return { ...options, env: Object.keys(options.env ?? {}) };
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
  const variables: Record<string, string> = {
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
  return { ...variables, ...gitVariables(variables) };
}

/** The settings behind those that the owner's own environment gives. */
function gitVariables({ GIT_CONFIG_COUNT = '0' }: Readonly<Record<string, string>>): Record<string, string> {
  const first = Number(GIT_CONFIG_COUNT) || 0;
  return Object.fromEntries([
    ['GIT_CONFIG_COUNT', String(first + gitSettings.length)],
    ...gitSettings.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${first + index}`, key],
      [`GIT_CONFIG_VALUE_${first + index}`, value],
    ]),
  ]);
}
