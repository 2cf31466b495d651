import { isStatic, type ShellPart, type ShellWord } from './analysis.ts';
import { readOptions, type OptionSpec } from './options.ts';
import { codeOf, nothing, type Wrapped } from './wrapped.ts';

const shells = new Set([
  'sh',
  'bash',
  'dash',
  'zsh',
  'ksh',
  'mksh',
  'ash',
  'rbash',
  'csh',
  'tcsh',
  'fish',
  'nu',
  'elvish',
  'xonsh',
]);

/** Options that take no code. Any other may. */
const interpreters: Readonly<Record<string, OptionSpec>> = {
  bun: { whole: /^-/ },
  deno: { whole: /^-/ },
  expect: { whole: /^-/ },
  irb: {},
  lua: { flags: 'vW' },
  luajit: { flags: 'v' },
  node: {
    flags: 'vhc',
    long: [
      'version',
      'help',
      'check',
      'test',
      'test-only',
      'watch',
      'enable-source-maps',
      'expose-gc',
      'preserve-symlinks',
      'inspect',
      'inspect-brk',
      'throw-deprecation',
    ],
    longValued: [
      'env-file',
      'env-file-if-exists',
      'test-name-pattern',
      'test-reporter',
      'test-concurrency',
      'test-timeout',
      'max-old-space-size',
      'max-semi-space-size',
      'stack-size',
      'conditions',
      'title',
      'run',
      'inspect',
      'inspect-brk',
    ],
    whole:
      /^--(?:no-(?:warnings|deprecation)|trace-[\w-]+|(?:no-)?experimental-(?:strip-types|transform-types|test-coverage|vm-modules|sqlite|permission|require-module|detect-module|fetch|websocket)|disable-warning=\w+)$/,
  },
  nodejs: {},
  osascript: { whole: /^-/ },
  perl: { flags: 'cTtuUwWv' },
  php: { flags: 'lvmnqCH', valued: 'f', long: ['version'] },
  powershell: {},
  pwsh: { whole: /^-(?:noprofile|noninteractive|nologo|version|file)$/i },
  pypy: { flags: 'BEIOqsSuvVbdx' },
  python: { flags: 'BEIOqsSuvVbdh', valued: 'X', long: ['version', 'help'] },
  ruby: { flags: 'cwWvy', long: ['version', 'help'] },
  tclsh: {},
  wish: {},
};
const queries = /^(?:-v|-V|-h|--version|--help|-version)$/;

/** Modules of Python that run the code, or the command, in their arguments. */
const runnerModules =
  /^(?:timeit|code|pdb|profile|cProfile|trace|runpy|coverage|asyncio|idlelib|doctest|compileall|webbrowser|IPython)$/;
const standardInput = /^(?:-|\/dev\/(?:stdin|fd\/\d+)|\/proc\/self\/fd\/\d+)$/;
const elsewhere = /^(?:data|https?|npm|jsr):/;

/** Shells, and programs that run code in their arguments or from their standard input. */
export function isInterpreter(name: string): boolean {
  return isShell(name) || Object.hasOwn(interpreters, plainName(name));
}

export function isShell(name: string): boolean {
  return shells.has(name);
}

/** `python3.12` is `python`. */
function plainName(name: string): string {
  return name.replace(/[\d.]+$/, '');
}

/** Finds what `python`, `node` and the like run, with these words after them: a script by its name, or code. */
export function lookIntoInterpreter(name: string, args: readonly ShellWord[]): Wrapped {
  const language = plainName(name);
  const { unknown, operands, options } = readOptions(args, interpreters[language]!, true);
  if (unknown) {
    const at = args.indexOf(unknown) + 1;
    const module = args[at];
    const isModule = /^(?:python|pypy)$/.test(language) && unknown.value === '-m' && module;
    if (!isModule || !isStatic(module) || runnerModules.test(module.value))
      return { ...nothing, isUnknown: true };
    return { ...nothing, commands: [{ words: args.slice(at), index: at + 1 }] };
  }
  const [script] = operands;
  if (script)
    return {
      ...nothing,
      isUnknown: comesFromInput(script) || standardInput.test(script.value) || elsewhere.test(script.value),
    };
  return options.some(
    (option) => queries.test(option) || option === '--run' || option === '--test' || option === '-f',
  )
    ? nothing
    : { ...nothing, readsCode: true };
}

/** Finds the code that a shell runs: of `-c`, in a here-document, or in a file that it names. */
export function lookIntoShell(args: readonly ShellWord[], redirects: ShellPart['redirects']): Wrapped {
  let takesCode = false;
  let at = 0;
  for (; at < args.length; at++) {
    const { value } = args[at]!;
    if (value === '--' || value === '-') {
      at++;
      break;
    }
    if (!/^[-+]./.test(value)) break;
    if (value === '--version' || value === '--help') return nothing;
    // Settings that are run before anything else.
    if (/^--(?:rcfile|init-file|command|init-command)/.test(value) || value.startsWith('-C'))
      return { ...nothing, isUnknown: true };
    if (/^[-+][a-zA-Z]*[oO]$/.test(value)) at++;
    if (/^-[a-zA-Z]*c/.test(value)) takesCode = true;
  }
  const operand = args[at];
  if (operand && comesFromInput(operand)) return { ...nothing, isUnknown: true };
  if (takesCode) return operand ? codeOf([operand]) : { ...nothing, isUnknown: true };
  const readsInput =
    !operand ||
    standardInput.test(operand.value) ||
    args.slice(0, at).some(({ value }) => /^-[a-z]*s/.test(value));
  if (!readsInput) return nothing;
  const texts = redirects.filter(({ op }) => op === '<<' || op === '<<<');
  return texts.length
    ? texts
        .map(({ target }) => codeOf([target]))
        .reduce((one, other) => ({
          ...one,
          scripts: [...one.scripts, ...other.scripts],
          isUnknown: one.isUnknown || other.isUnknown,
        }))
    : { ...nothing, readsCode: true };
}

/** `xargs sh` may be given `-c`. */
function comesFromInput({ pieces }: ShellWord): boolean {
  return pieces.some(({ kind }) => kind === 'input');
}

/** `source a.sh` names a file; `source /dev/stdin` does not. */
export function lookIntoSource([file]: readonly ShellWord[]): Wrapped {
  return { ...nothing, isUnknown: file !== undefined && standardInput.test(file.value) };
}
