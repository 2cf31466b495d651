import { isStatic, type HiddenUse, type ShellPart, type ShellWord } from './analysis.ts';
import { isHarmlessDevice, segmentsOf } from '../paths/sensitive-paths.ts';
import { isCodeVariable } from './code-variables.ts';
import { gitSpecs, isHarmlessSetting, isOwnOption, setsProgram } from './hidden-git.ts';
import { compiler, hiddenOptions, type HiddenSpec } from './hidden-options.ts';
import { mayBeOption, readOptions } from './options.ts';
import { isPlainSedScript, readSed } from './sed-script.ts';
import { asAssignment } from './wrappers.ts';
import { spellings } from './spellings.ts';

type Found = Pick<ShellPart, 'words' | 'assignments'>;

/** `x86_64-linux-gnu-gcc-12` */
const compilers =
  /^(?:[\w.]+-)*(?:gcc|g\+\+|cc|c\+\+|cpp|clang|clang\+\+|gfortran|gccgo|gdc|gnat|c89|c99)(?:-[\d.]+)?$/;

const exporters = /^(?:export|declare|typeset|readonly|local)$/;

/** What a command does beyond what its name says, as far as its words and its environment tell. */
export function hiddenUses(name: string, { words, assignments }: Found): readonly HiddenUse[] {
  const exported = exporters.test(name) ? words.slice(1).flatMap((word) => asAssignment(word) ?? []) : [];
  const byVariable = [...assignments, ...exported]
    .filter(isCodeVariable)
    .map(({ name: by, value }): HiddenUse => ({ kind: 'code', by, index: 0, ...(value ? { value } : {}) }));
  return [...byVariable, ...usesOf(name, words.slice(1))];
}

function usesOf(name: string, args: readonly ShellWord[]): readonly HiddenUse[] {
  switch (name) {
    case 'git':
      return gitUses(args);
    case 'sed':
    case 'gsed':
      return isHarmlessSed(args) ? [] : [textOf(args)];
    case 'awk':
    case 'gawk':
    case 'mawk':
    case 'nawk':
      return isHarmlessAwk(args) ? [] : [textOf(args)];
    default:
      if (compilers.test(name)) return byTable(args, compiler);
      return Object.hasOwn(hiddenOptions, name) ? byTable(args, hiddenOptions[name]!) : [];
  }
}

function byTable(args: readonly ShellWord[], spec: HiddenSpec): readonly HiddenUse[] {
  const found = find(args, [spec]);
  if (spec.operandsRead === undefined) return found;
  const operands = args.filter((word) => !mayBeOption(word));
  const written = operands[spec.operandsRead];
  if (!written) return found;
  return [...found, { kind: 'write', by: written.value, value: written, index: args.indexOf(written) + 1 }];
}

function gitUses(args: readonly ShellWord[]): readonly HiddenUse[] {
  const found = find(args, gitSpecs(args)).filter(({ by, value }, i, all) => {
    const at = all[i]!.index - (value ? 2 : 1);
    if (isOwnOption(args, by, at)) return false;
    const sets = by === '-c' || by === '--config';
    return !(sets && value && isStatic(value) && isHarmlessSetting(value.value));
  });
  const setting = setsProgram(args);
  const value = args[setting + 1];
  if (setting < 0) return found;
  return [...found, { kind: 'code', by: 'config', index: setting + 1, ...(value ? { value } : {}) }];
}

function find(args: readonly ShellWord[], specs: readonly HiddenSpec[]): readonly HiddenUse[] {
  return args.flatMap((word, at) => {
    const uses = spellings(word).flatMap((spelling) =>
      specs.flatMap((spec) => {
        const use = useOf(spelling, at, args[at + 1], spec);
        if (!use) return [];
        const { isSeparate, ...rest } = use;
        return [{ ...rest, index: at + (isSeparate ? 2 : 1) }];
      }),
    );
    return uses.slice(0, 1);
  });
}

function useOf(
  word: ShellWord,
  at: number,
  next: ShellWord | undefined,
  spec: HiddenSpec,
): (Omit<HiddenUse, 'index'> & { isSeparate?: boolean }) | undefined {
  const { value } = word;
  if (spec.words?.test(value) || (at === 0 && spec.first?.test(value)))
    return { kind: 'code', by: value.split('=')[0]!.slice(0, 40), value: word };
  if (word.pieces.some(({ kind }) => kind === 'input'))
    return takesOptions(spec) ? { kind: 'unsure', by: value || 'its input' } : undefined;
  if (!mayBeOption(word)) return undefined;
  // Braces that are too much to expand may hide any option.
  if (word.pieces.some(({ kind }) => kind === 'brace')) return { kind: 'code', by: value };
  if (!isStatic(word) && !/^-[^-]|^--[\w-]+=/.test(literalHead(word)))
    return takesOptions(spec) ? { kind: 'unsure', by: value } : undefined;

  const code = match(word, spec.code, spec);
  if (code) {
    const given = code.attached ?? next;
    const isHarmless = given && isStatic(given) && spec.harmless?.test(given.value);
    if (!isHarmless)
      return {
        kind: 'code',
        by: code.option,
        ...(given ? { value: given, isSeparate: !code.attached } : {}),
      };
  }
  const written = match(word, spec.writes, spec);
  const target = written && (written.attached ?? next);
  if (written && !(target && isNoFile(target)))
    return {
      kind: 'write',
      by: written.option,
      ...(target ? { value: target, isSeparate: !written.attached } : {}),
    };
  const itself = match(word, spec.writesItself, spec);
  if (itself) return { kind: 'write', by: itself.option };
  return isStatic(word) || written || code || !takesOptions(spec) ? undefined : { kind: 'unsure', by: value };
}

function takesOptions({ code, writes, writesItself }: HiddenSpec): boolean {
  return code !== undefined || writes !== undefined || writesItself !== undefined;
}

function literalHead({ pieces }: ShellWord): string {
  return pieces[0]?.kind === 'literal' ? pieces[0].text : '';
}

const lists = new Map<string, readonly string[]>();

/** The option of the list that a word is or holds, with what is joined to it. */
function match(
  word: ShellWord,
  list: string | undefined,
  { code = '', writes = '', valued = '' }: HiddenSpec,
): { option: string; attached?: ShellWord } | undefined {
  if (list === undefined) return undefined;
  const options = optionsOf(list);
  const { value } = word;
  const [name = ''] = value.split('=');
  const whole = options.find(
    (option) =>
      option === name ||
      (option.startsWith('--') && name.length > 2 && name.startsWith('--') && option.startsWith(name)),
  );
  if (whole) return { option: whole, ...(name === value ? {} : { attached: tail(word, name.length + 1) }) };
  if (value.startsWith('--')) return undefined;
  for (let at = 1; at < value.length; at++) {
    const letter = `-${value[at]}`;
    if (options.includes(letter))
      return { option: letter, ...(at < value.length - 1 ? { attached: tail(word, at + 1) } : {}) };
    if (valued.includes(value[at]!) || optionsOf(code).includes(letter) || optionsOf(writes).includes(letter))
      return undefined;
  }
  return undefined;
}

function optionsOf(list: string): readonly string[] {
  const options = lists.get(list) ?? list.split(' ');
  lists.set(list, options);
  return options;
}

/** The word without its first characters, which are plain text. */
function tail({ value, pieces }: ShellWord, length: number): ShellWord {
  const [first, ...rest] = pieces;
  const isCut = first?.kind === 'literal' && first.text.length >= length;
  return {
    value: value.slice(length),
    pieces: isCut ? [{ kind: 'literal', text: first.text.slice(length) }, ...rest] : pieces,
  };
}

/** Standard output, or a device that keeps nothing. */
function isNoFile(word: ShellWord): boolean {
  if (!isStatic(word)) return false;
  return word.value === '-' || (word.value.startsWith('/') && isHarmlessDevice(segmentsOf(word.value)));
}

function textOf(args: readonly ShellWord[]): HiddenUse {
  const index = args.findIndex(({ value }) => /[\s(){};|/]/.test(value)) + 1;
  return { kind: 'code', by: 'its script', index };
}

function isHarmlessSed(args: readonly ShellWord[]): boolean {
  if (args.some(({ value }) => value === '--sandbox')) return true;
  return readSed(args)?.scripts.every(isPlainSedScript) === true;
}

/** Programs of awk that neither run commands, nor write files, nor take in other code. */
function isHarmlessAwk(args: readonly ShellWord[]): boolean {
  const { operands, unknown } = readOptions(
    args,
    { flags: 'bS', valued: 'Fv', longValued: ['field-separator', 'assign'], long: ['version'] },
    true,
  );
  const [program] = operands;
  if (unknown) return false;
  if (!program) return true;
  if (!isStatic(program)) return false;
  const text = program.value.replaceAll('||', ' ');
  return !/\bsystem\b|\||\bgetline\b|@|\bprintf?\b[^]*>|\bENVIRON\b|\bPROCINFO\b/.test(text);
}
