import { isStatic, type ShellAnalysis, type ShellPart, type ShellWord } from './analysis.ts';
import { directoriesOf, resolveWord, type ShellPlace } from './directories.ts';
import { readOptions, type OptionSpec } from './options.ts';
import { isReadOnlyAmong, opaqueFeatures, isHarmlessAssignment, writtenByRedirect } from './read-only.ts';
import { isPlainSedScript, readSed } from './sed-script.ts';
import { isInside, type LinkReader } from '../paths/is-inside.ts';

interface EditSpec extends OptionSpec {
  /** Operands in front that are no paths. */
  skips?: number;
  /** It may put a link where none was, and what follows would be written through it. */
  mayBringLinks?: true;
  /** The last operand may be a folder to which the others go. */
  goesIntoFolder?: true;
}

/**
 * Commands that edit what they name. Options that name more (`cp -t`), follow links on their way (`cp -r`) or remove parents are left out:
 * then the targets count as unknown.
 */
const edits: Readonly<Record<string, EditSpec>> = {
  chmod: { flags: 'cfv', long: ['changes', 'silent', 'quiet', 'verbose'], skips: 1 },
  cp: {
    flags: 'fiLnpuvT',
    long: ['force', 'interactive', 'no-clobber', 'dereference', 'update', 'verbose', 'no-target-directory'],
    goesIntoFolder: true,
  },
  ln: {
    flags: 'fsvnT',
    long: ['force', 'symbolic', 'verbose', 'no-dereference'],
    mayBringLinks: true,
    goesIntoFolder: true,
  },
  mkdir: { flags: 'pv', valued: 'm', long: ['parents', 'verbose'], longValued: ['mode'] },
  mv: {
    flags: 'finuvT',
    long: ['force', 'interactive', 'no-clobber', 'update', 'verbose', 'no-target-directory'],
    mayBringLinks: true,
    goesIntoFolder: true,
  },
  rm: { flags: 'rRfvdiI', long: ['recursive', 'force', 'verbose', 'dir', 'interactive', 'one-file-system'] },
  rmdir: { flags: 'v', long: ['verbose', 'ignore-fail-on-non-empty'] },
  tee: { flags: 'ai', long: ['append', 'ignore-interrupts'] },
  touch: {
    flags: 'acmfh',
    valued: 'dtr',
    long: ['no-create', 'no-dereference'],
    longValued: ['date', 'reference', 'time'],
  },
};

export function isEditCommand(name: string): boolean {
  return Object.hasOwn(edits, name) || name === 'sed' || name === 'chown' || name === 'chgrp';
}

/**
 * The absolute paths that the command writes, `.` and `..` left in; undefined when not all are known: then it may write anywhere.
 * Parts that only read add none.
 */
export function editTargets(analysis: ShellAnalysis, place: ShellPlace): string[] | undefined {
  if (!analysis.ok || opaqueFeatures.some((feature) => analysis.features.has(feature))) return undefined;
  const { parts } = analysis;
  const directories = directoriesOf(parts, place);
  const targets: string[] = [];
  const editing: ShellPart[] = [];
  for (const [index, part] of parts.entries()) {
    if (part.hidden.length || !part.assignments.every(isHarmlessAssignment)) return undefined;
    const words = writtenWords(part, parts);
    if (!words) return undefined;
    if (words.length) editing.push(part);
    for (const word of words) {
      const paths = resolveWord(word, directories[index], place.home);
      if (!paths) return undefined;
      targets.push(...paths);
    }
  }
  const bringer = editing.findIndex(({ name }) => edits[name]?.mayBringLinks);
  if (bringer >= 0 && (bringer < editing.length - 1 || runsBeside(parts))) return undefined;
  return [...new Set(targets)];
}

/** Whether the command only reads and edits, and every target lies in a working directory: what `accept_edits` lets pass. */
export async function isContainedEdit(
  analysis: ShellAnalysis,
  place: ShellPlace & { workingDirectories: readonly string[] },
  links: LinkReader,
): Promise<boolean> {
  const targets = editTargets(analysis, place);
  if (!targets?.length) return false;
  for (const target of targets) if (!(await isInside(place.workingDirectories, target, links))) return false;
  return true;
}

/** The words that name what a part writes; undefined when it does more than read and edit. */
function writtenWords(part: ShellPart, parts: readonly ShellPart[]): readonly ShellWord[] | undefined {
  const redirected = writtenByRedirect(part);
  const rest = { ...part, redirects: part.redirects.filter(({ op }) => !op.includes('>')) };
  if (isReadOnlyAmong(rest, parts)) return redirected;
  const operands = operandsWritten(part);
  return operands && [...redirected, ...operands];
}

/** The operands that an edit command writes; undefined for other commands, and where not all is understood. */
export function operandsWritten(part: ShellPart): readonly ShellWord[] | undefined {
  return part.name === 'sed' ? sedTargets(part.args) : targetsOf(part);
}

function targetsOf(part: ShellPart): readonly ShellWord[] | undefined {
  const spec = Object.hasOwn(edits, part.name) ? edits[part.name] : undefined;
  if (!spec) return undefined;
  const { operands, options, unknown } = readOptions(part.args, spec);
  const paths = operands.slice(spec.skips ?? 0);
  if (unknown || !paths.length || !operands.slice(0, spec.skips ?? 0).every(isStatic)) return undefined;
  if (part.name === 'ln' && (paths.length < 2 || !isSimpleLink(paths, options))) return undefined;
  if (!spec.goesIntoFolder || paths.length < 2) return paths;
  const folder = paths.at(-1)!;
  const sources = paths.slice(0, -1);
  const moved = sources.map((source) => inFolder(folder, source));
  // The sources of a copy are only read.
  return part.name === 'cp' ? [folder, ...moved] : [...paths, ...moved];
}

/** A link's target is read from where the link lies: only without `..` is it inside whenever its name is. */
function isSimpleLink(paths: readonly ShellWord[], options: readonly string[]): boolean {
  const isSymbolic = options.some((option) => option === '-s' || option === '--symbolic');
  return !isSymbolic || paths.slice(0, -1).every(({ value }) => !value.split('/').includes('..'));
}

function inFolder(folder: ShellWord, source: ShellWord): ShellWord {
  const name = source.value.replace(/\/+$/, '').split('/').at(-1) ?? '';
  const text = `/${name}`;
  return { value: folder.value + text, pieces: [...folder.pieces, { kind: 'literal', text }] };
}

function sedTargets(args: readonly ShellWord[]): readonly ShellWord[] | undefined {
  const read = args.every(isStatic) ? readSed(args) : undefined;
  if (!read?.scripts.every(isPlainSedScript)) return undefined;
  return read.isInPlace ? read.files : [];
}

function runsBeside(parts: readonly ShellPart[]): boolean {
  return parts.some(({ isBackground, readsPipe }) => isBackground || readsPipe);
}
