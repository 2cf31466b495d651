import {
  forEachChild,
  parse,
  type Command,
  type ParsedScript,
  type Statement,
  type SyntaxNode,
} from 'unbash';
import type {
  ShellAnalysis,
  ShellAssignment,
  ShellFeature,
  ShellJoin,
  ShellOrigin,
  ShellPart,
  ShellRedirect,
  ShellWord,
} from './analysis.ts';
import { isStatic, literalWord } from './analysis.ts';
import { isPlainArithmetic, readWord } from './read-word.ts';
import {
  evaluationOf,
  evaluationOfExpansion,
  isEvaluatedNumber,
  isPayload,
  leavesLooseValue,
  type Evaluation,
} from './evaluations.ts';
import { runsInput } from './hidden-options.ts';
import { hiddenUses } from './hidden-uses.ts';
import { baseName, lookThrough } from './wrappers.ts';

/** How a command stands in what surrounds it. */
interface Place {
  join: ShellJoin;
  isBackground: boolean;
  readsPipe: boolean;
  isNegated: boolean;
  origin: ShellOrigin;
}

/** What is gathered on the way. `wrapper` is what runs the script that is being read. */
interface Reading {
  parts: ShellPart[];
  features: Set<ShellFeature>;
  problems: string[];
  /** What a variable holds is evaluated somewhere. */
  evaluates: boolean;
  /** Some variable may hold what runs a command when it is evaluated. */
  isLoose: boolean;
  /** How many scripts inside one word surround this one. */
  depth: number;
}

const maxLength = 64 * 1024;
const maxDepth = 8;
const maxParts = 500;

/** Characters that hide from a person what a command does, or that shells read in different ways. Tab and newline are fine. */
const misleading = /[^\P{Cc}\t\n]|[\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u;

/**
 * Splits a command into its simple commands by the grammar of bash, those inside substitutions, compound commands and wrappers included.
 * Never throws: what can't be read says why.
 */
export function parseShell(command: string): ShellAnalysis {
  const reading: Reading = {
    parts: [],
    features: new Set(),
    problems: [],
    evaluates: false,
    isLoose: false,
    depth: 0,
  };
  if (command.length > maxLength) reading.problems.push(`it is longer than ${maxLength} characters`);
  else {
    if (misleading.test(command)) reading.problems.push('it holds control or invisible characters');
    readSource(
      command,
      { join: 'start', isBackground: false, readsPipe: false, isNegated: false, origin: 'list' },
      reading,
    );
  }
  if (reading.evaluates && reading.isLoose) reading.features.add('unknown_code');
  if (reading.parts.length > maxParts) reading.problems.push(`it has more than ${maxParts} commands`);

  const findings = { source: command, parts: reading.parts, features: reading.features };
  const [why] = reading.problems;
  return why === undefined ? { ok: true, ...findings } : { ok: false, why, ...findings };
}

function readSource(source: string, place: Place, reading: Reading): void {
  try {
    readScript(parse(source), place, reading);
  } catch (error) {
    // A parser's crash must not let a command pass.
    reading.problems.push(`it can't be parsed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function readScript(script: ParsedScript, place: Place, reading: Reading): void {
  for (const { message } of script.errors ?? []) reading.problems.push(`syntax error: ${message}`);
  readStatements(script.commands, place, reading);
}

function readStatements(statements: readonly Statement[], place: Place, reading: Reading): void {
  let join = place.join;
  for (const statement of statements) {
    const isBackground = statement.background === true || place.isBackground;
    readCommand(statement.command, { ...place, join, isBackground }, reading);
    join = statement.background ? '&' : ';';
  }
}

function readCommand(node: SyntaxNode, place: Place, reading: Reading): void {
  const inside: Place = { ...place, origin: place.origin === 'list' ? 'compound' : place.origin };
  const mark = (feature: ShellFeature) => void reading.features.add(feature);
  switch (node.type) {
    case 'Command':
      return readSimple(node, place, reading);
    case 'AndOr':
      return node.commands.forEach((command, index) =>
        readCommand(command, { ...place, join: node.operators[index - 1] ?? place.join }, reading),
      );
    case 'Pipeline': {
      const isNegated = place.isNegated || node.prefixes.some(({ type }) => type === 'Negation');
      if (isNegated) mark('negation');
      return node.commands.forEach((command, index) =>
        readCommand(
          command,
          index === 0 ? { ...place, isNegated } : { ...place, isNegated, join: '|', readsPipe: true },
          reading,
        ),
      );
    }
    case 'BraceGroup':
      mark('group');
      return readStatements(node.body.commands, inside, reading);
    case 'Subshell':
      mark('subshell');
      return readStatements(node.body.commands, inside, reading);
    case 'Redirected': {
      const redirects = node.redirects.map((redirect) => readRedirect(redirect, inside, reading));
      addPart({ words: [], assignments: [], redirects }, inside, reading);
      const readsPipe = place.readsPipe || redirects.some(({ op }) => op.startsWith('<'));
      return readCommand(node.command, { ...place, readsPipe }, reading);
    }
    case 'If':
    case 'While':
    case 'Case':
      mark('control_flow');
      break;
    case 'For':
    case 'Select':
      mark('control_flow');
      reading.isLoose = true;
      if (isEvaluatedNumber(node.name.value)) mark('unknown_code');
      break;
    case 'ArithmeticFor':
      mark('control_flow');
      reading.evaluates = true;
      break;
    case 'Function':
      mark('function');
      break;
    case 'Coproc':
      mark('coprocess');
      break;
    case 'TestCommand':
      mark('test');
      reading.evaluates = true;
      break;
    case 'ArithmeticCommand':
      mark('arithmetic');
      reading.evaluates = true;
      if (!isPlainArithmetic(node.body)) mark('unknown_code');
      break;
    default:
      break;
  }
  readInside(node, inside, reading);
}

/** Finds the commands below a node that is no command itself: in compound commands, and in words. */
function readInside(node: SyntaxNode, place: Place, reading: Reading): void {
  forEachChild(node, (child) => {
    switch (child.type) {
      case 'Script':
        return readScript(child, { ...place, join: ';', origin: 'substitution' }, reading);
      case 'Statement':
        return readStatements([child], { ...place, join: ';' }, reading);
      case 'Word':
        noteWord(
          readWord(child, (feature) => reading.features.add(feature)),
          reading,
        );
        return readInside(child, place, reading);
      case 'Redirect':
      case 'HereDoc':
      case 'HereString':
        readRedirect(child, place, reading);
        return;
      case 'Command':
      case 'AndOr':
      case 'Pipeline':
      case 'BraceGroup':
      case 'Subshell':
      case 'Redirected':
      case 'If':
      case 'For':
      case 'ArithmeticFor':
      case 'While':
      case 'Case':
      case 'Select':
      case 'Function':
      case 'Coproc':
      case 'TestCommand':
      case 'ArithmeticCommand':
        return readCommand(child, { ...place, join: ';' }, reading);
      default:
        return readInside(child, place, reading);
    }
  });
}

function readSimple(node: Command, place: Place, reading: Reading): void {
  const words: ShellWord[] = [];
  if (node.name) words.push(readWordInside(node.name, place, reading));
  const assignments: ShellAssignment[] = [];
  const redirects: ShellRedirect[] = [];
  for (const item of [...node.prefix, ...node.suffix]) {
    if (item.type === 'Word') words.push(readWordInside(item, place, reading));
    else if (item.type === 'Assignment') {
      const assignment = readAssignment(item, place, reading);
      // After the name (`export A=b`) it is an argument to this command and an assignment to the shell.
      if (item.pos > (node.name?.pos ?? Infinity)) words.push(argumentOf(assignment));
      assignments.push(assignment);
    } else redirects.push(readRedirect(item, place, reading));
  }
  addPart({ words, assignments, redirects }, place, reading);
}

function readAssignment(
  node: Extract<SyntaxNode, { type: 'Assignment' }>,
  place: Place,
  reading: Reading,
): ShellAssignment {
  const subscript = node.index && readWordInside(node.index, place, reading).value;
  const name = subscript === undefined ? node.name : `${node.name}[${subscript}]`;
  if (node.value.type === 'Word') return { name, value: readWordInside(node.value, place, reading) };
  for (const element of node.value.elements) {
    // `([x]=1)` has a subscript of its own.
    if (/^\[(?!\d+\])/.test(element.text)) reading.features.add('unknown_code');
    readWordInside(element, place, reading);
  }
  return { name };
}

function argumentOf({ name, value }: ShellAssignment): ShellWord {
  const pieces = [{ kind: 'literal' as const, text: `${name}=` }, ...(value?.pieces ?? [])];
  return { value: pieces.map(({ text }) => text).join(''), pieces };
}

function readRedirect(
  node: Extract<SyntaxNode, { type: 'Redirect' | 'HereDoc' | 'HereString' }>,
  place: Place,
  reading: Reading,
): ShellRedirect {
  if (node.descriptor?.type === 'FileDescriptorVariable' && isEvaluatedDescriptor(node.descriptor.name))
    reading.features.add('unknown_code');
  if (node.type === 'HereDoc') {
    reading.features.add('here_doc');
    if (!node.closing) reading.problems.push('syntax error: a here-document does not end');
    const { body } = node;
    readInside(body, place, reading);
    // Its parts are read on demand, so that copying the node would lose them.
    const word = {
      type: 'Word',
      text: '',
      value: body.text,
      pos: body.pos,
      end: body.end,
      parts: body.parts,
    } as const;
    return { op: '<<', target: readWord(word, (feature) => reading.features.add(feature)) };
  }
  if (node.type === 'HereString') reading.features.add('here_string');
  if (!node.target) reading.problems.push(`syntax error: ${node.operator} has no target`);
  const target = node.target ? readWordInside(node.target, place, reading) : literalWord('');
  return { op: node.operator, target };
}

/** `{A[x]}<file` evaluates `x`. */
function isEvaluatedDescriptor(name: string): boolean {
  return name.includes('[') || isEvaluatedNumber(name);
}

/** What a word tells of values and of where they are evaluated. */
function noteWord({ value, pieces }: ShellWord, reading: Reading): void {
  if (isPayload(value) || pieces.some(({ kind }) => kind === 'substitution')) reading.isLoose = true;
  for (const { kind, text } of pieces) {
    if (kind === 'arithmetic') reading.evaluates = true;
    if (kind === 'expansion') noteEvaluation(evaluationOfExpansion(text), reading);
  }
}

function noteEvaluation(evaluation: Evaluation, reading: Reading): void {
  if (evaluation === 'always') reading.features.add('unknown_code');
  if (evaluation === 'byValue') reading.evaluates = true;
}

function readWordInside(
  node: Extract<SyntaxNode, { type: 'Word' }>,
  place: Place,
  reading: Reading,
): ShellWord {
  const word = readWord(node, (feature) => reading.features.add(feature));
  noteWord(word, reading);
  readInside(node, place, reading);
  return word;
}

function addPart(
  found: Pick<ShellPart, 'words' | 'assignments' | 'redirects'>,
  place: Place,
  reading: Reading,
  wrapper?: ShellPart['wrapper'],
): void {
  // Wrapped guesses can multiply: past the limit the command is refused as a whole.
  if (reading.parts.length > maxParts) return;
  const [first, ...args] = found.words;
  const seen = lookThrough(found);
  const name = baseName(first?.value ?? '');
  const hidden = hiddenUses(name, found);
  noteEvaluation(evaluationOf(name, found), reading);
  if (leavesLooseValue(name, found)) reading.isLoose = true;
  const isFed = place.readsPipe || found.redirects.some(({ op }) => op.startsWith('<'));
  const part: ShellPart = {
    ...found,
    ...place,
    name: first?.value ?? '',
    args,
    hidden,
    isTransparent: seen.isTransparent,
    ...(wrapper ? { wrapper } : {}),
  };
  reading.parts.push(part);
  if (first && first.pieces.some(({ kind }) => kind !== 'literal')) reading.features.add('dynamic_name');
  const code = hidden.filter(({ kind }) => kind === 'code');
  if (seen.isUnknown || seen.readsCode || code.length || (isFed && runsInput.has(name)))
    reading.features.add('unknown_code');

  const inside: Place = {
    ...place,
    readsPipe: isFed,
    join: ';',
    origin: place.origin === 'guessed' ? 'guessed' : 'wrapped',
  };
  for (const { words, assignments, index, isGuess } of seen.commands)
    addPart(
      { words, assignments: assignments ?? [], redirects: [] },
      isGuess ? { ...inside, origin: 'guessed' } : inside,
      reading,
      { part, index },
    );
  for (const script of seen.scripts) readNested(script, inside, reading, part);
  for (const { value } of code)
    if (value && isStatic(value))
      readNested(commandIn(value.value), { ...inside, origin: 'guessed' }, reading, part);
}

/** `alias.x=!rm y`, `exec=rm y`: read as a shell would, for rules that forbid. */
function commandIn(value: string): string {
  return value.replace(/^[\w.-]+=/, '').replace(/^!/, '');
}

/** Code for another shell, in one word of a command: `sh -c '…'`, `eval '…'`, `trap '…' EXIT`. */
function readNested(code: string, place: Place, reading: Reading, part: ShellPart): void {
  if (reading.depth >= maxDepth) return void reading.features.add('unknown_code');
  const nested: Reading = { ...reading, parts: [], problems: [], depth: reading.depth + 1 };
  readSource(code, place, nested);
  reading.evaluates ||= nested.evaluates;
  reading.isLoose ||= nested.isLoose;
  if (nested.problems.length) reading.features.add('unknown_code');
  for (const found of nested.parts)
    reading.parts.push(found.wrapper ? found : { ...found, wrapper: { part } });
}
