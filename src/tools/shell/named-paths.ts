import type { ShellAnalysis, ShellPart, ShellWord } from './analysis.ts';
import { directoriesOf, resolveWord, type ShellPlace } from './directories.ts';
import { readOptions } from './options.ts';
import { readOnlyCommands } from './read-only-commands.ts';
import { isWebAddress, spellings } from './spellings.ts';

/** The paths that a command is seen to name for its programs to read: arguments and input redirects, absolute. What it reads besides stays unseen. */
export function namedPaths({ parts }: ShellAnalysis, place: ShellPlace): string[] {
  const directories = directoriesOf(parts, place);
  return parts.flatMap((part, index) =>
    fileWords(part)
      .filter((word) => !isWebAddress(word))
      .flatMap((word) => [
        ...(resolveWord(word, directories[index], place.home) ?? []),
        ...candidatesOf(word.value).flatMap((path) =>
          path.startsWith('/')
            ? [path]
            : (directories[index] ?? [place.cwd]).map((directory) => `${directory}/${path}`),
        ),
      ]),
  );
}

/** The words of a part that may name files whose content it shows, each spelling of its own. */
export function fileWords(part: ShellPart): ShellWord[] {
  const spec = Object.hasOwn(readOnlyCommands, part.name) ? readOnlyCommands[part.name] : undefined;
  const words = spec?.takesText || spec?.showsNamesOnly ? [] : fileArguments(part);
  const read = part.redirects.filter(({ op }) => op === '<' || op === '<>').map(({ target }) => target);
  return [...words, ...read].flatMap(spellings);
}

/** `.env`, `--file=.env`, `-f.env`, `@.env`, `HEAD:.env`, `host:/root/.ssh/id_rsa` */
export function candidatesOf(value: string): string[] {
  const candidates = [value];
  for (const mark of value.matchAll(/[=@:,]/g)) candidates.push(value.slice(mark.index + 1));
  if (/^-[a-zA-Z]./.test(value)) candidates.push(value.slice(2));
  return candidates;
}

/** The arguments that may name files: no patterns to search for, no commit messages. */
function fileArguments(part: ShellPart): readonly ShellWord[] {
  const { name, args } = part;
  if (name === 'find') return args.some(({ value }) => /^-(?:exec|ok)/.test(value)) ? args : [];
  if (name === 'git')
    return args.filter(
      ({ value }, at) =>
        !/^(?:-m|-am|--message)$/.test(args[at - 1]?.value ?? '') && !/^(?:-m.|--message=)/.test(value),
    );
  if (name !== 'grep' && name !== 'rg') return args;
  const { options, operands, unknown } = readOptions(args, readOnlyCommands[name]!);
  const takesPattern =
    !unknown && !options.some((option) => /^(?:-[ef]|--regexp|--file|--files)$/.test(option));
  return takesPattern ? args.filter((word) => word !== operands[0]) : args;
}
