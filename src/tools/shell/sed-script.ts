import { isStatic, type ShellWord } from './analysis.ts';
import { readOptions, type OptionSpec } from './options.ts';

/** `sed -i` in the form of GNU; BSD's `-i ''` counts as unknown. */
const options: OptionSpec = {
  flags: 'nEirsuz',
  valued: 'el',
  whole: /^-i\.?[\w~-]+$/,
  long: [
    'in-place',
    'quiet',
    'silent',
    'regexp-extended',
    'separate',
    'null-data',
    'posix',
    'version',
    'help',
  ],
  longValued: ['expression', 'line-length'],
};

/** What `sed` with these words after it would do; undefined when that can't be told. */
export function readSed(
  args: readonly ShellWord[],
): { scripts: readonly string[]; files: readonly ShellWord[]; isInPlace: boolean } | undefined {
  const read = readOptions(args, options);
  if (read.unknown || !args.every((word) => isStatic(word) || !word.value.startsWith('-'))) return undefined;
  const hasExpressions = read.options.some((option) => option === '-e' || option === '--expression');
  const [first, ...others] = read.operands;
  const given = args.flatMap(({ value }, index) =>
    /^-[nErsuz]*e$|^--expression$/.test(value)
      ? [args[index + 1]]
      : /^(?:-[nErsuz]*e.|--expression=)/.test(value)
        ? [{ ...args[index]!, value: value.replace(/^(?:-[nErsuz]*e|--expression=)/, '') }]
        : [],
  );
  const scripts = hasExpressions ? given : [first];
  if (!scripts.every((script) => script !== undefined && isStatic(script))) return undefined;
  return {
    scripts: scripts.map((script) => script!.value),
    files: hasExpressions ? read.operands : others,
    isInPlace: read.options.some((option) => option.startsWith('-i') || option === '--in-place'),
  };
}

const address = String.raw`(?:\d+(?:~\d+)?|\$|\/(?:[^\/\\\n]|\\[^\n])*\/I?)`;
const range = String.raw`(?:${address}(?:\s*,\s*[+~]?${address})?\s*!?)?`;
const between = String.raw`([^\w\s\\;{}])(?:(?!\1)[^\\\n]|\\[^])*\1(?:(?!\1)[^\\\n]|\\[^])*\1`;
const command = String.raw`(?:[dDgGhHnNpPxzF=}]|[qQ]\d*|\{|s${between}[gpiImM\d]*|y${between.replaceAll(String.raw`\1`, String.raw`\2`)}|[bt]\s*\w*|:\s*\w+)`;
const nextCommand = new RegExp(String.raw`[\s;]*${range}\s*${command}\s*(?:[;\n}]|(?<=\{)|$)`, 'y');

/** Whether a script only prints, deletes and replaces. Sed's other commands write files (`w`) and run programs (`e`), flags too. */
export function isPlainSedScript(script: string): boolean {
  let at = 0;
  while (at < script.length && /[^\s;]/.test(script.slice(at))) {
    nextCommand.lastIndex = at;
    if (!nextCommand.test(script)) return false;
    at = nextCommand.lastIndex;
  }
  return script.trim() !== '';
}
