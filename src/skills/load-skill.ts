import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { parse } from 'yaml';
import { DefinitionError } from '../tools/definition-error.ts';
import { describeError } from '../tools/tool-errors.ts';
import type { Tool } from '../tools/tool.ts';

/** A folder with SKILL.md, which tells a model how to do something: the format of agentskills.io. */
export interface Skill {
  readonly name: string;
  /** What it is for and when to use it: all that the model sees before it reads the skill. */
  readonly description: string;
  /** Absolute, links resolved. */
  readonly folder: string;
  /** Tools that a session has from when it read the skill. */
  readonly tools: readonly Tool[];
}

const skillName = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const maxNameLength = 64;
const maxDescriptionLength = 1024;
const frontMatter = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---[ \t]*(\r?\n|$)/;

/**
 * Reads one skill. What is wrong with it is said now, not when a model asks for it.
 *
 * @throws DefinitionError naming the file and the remedy.
 */
export function loadSkill(folder: string, options: { tools?: readonly Tool[] } = {}): Skill {
  const file = join(folder, 'SKILL.md');
  const fail = (field: string, problem: string, cause?: unknown): never => {
    throw new DefinitionError(`skill "${basename(folder)}"`, field, problem, { cause });
  };
  const text = readText(folder, file, fail);
  const [, header] =
    frontMatter.exec(text) ??
    fail(file, 'begin it with front matter: a line "---", name and description, a line "---".');
  const fields = parseHeader(header ?? '', (problem, cause) => fail(file, problem, cause));
  const { name, description } = fields;
  if (typeof name !== 'string' || !skillName.test(name) || name.length > maxNameLength)
    return fail(
      'name',
      `write a name such as "pdf-forms" into ${file}: lower-case letters, digits and single hyphens, at most ${maxNameLength}.`,
    );
  if (name !== basename(realpathSync(folder)))
    return fail('name', `${file} says ${name}, and its folder is named otherwise: give both one name.`);
  if (typeof description !== 'string' || description.trim() === '')
    return fail('description', `say in ${file} what the skill is for and when to use it.`);
  if (description.length > maxDescriptionLength)
    return fail(
      'description',
      `it has ${description.length} characters in ${file}, above the limit of ${maxDescriptionLength}: the skill's body takes the rest.`,
    );
  const tools = Object.freeze([...(options.tools ?? [])]);
  return Object.freeze({ name, description: description.trim(), folder: realpathSync(folder), tools });
}

/**
 * Reads the skills in the folders of a folder, by name.
 *
 * @throws DefinitionError for the first that is broken.
 */
export function loadSkills(folder: string): Skill[] {
  let names: string[];
  try {
    names = readdirSync(folder).toSorted();
  } catch (cause) {
    throw new DefinitionError('skills', folder, `the folder can't be read: ${describeError(cause)}`, {
      cause,
    });
  }
  return names
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
    .filter((path) => statSync(join(path, 'SKILL.md'), { throwIfNoEntry: false }) !== undefined)
    .map((path) => loadSkill(path));
}

/** The text of SKILL.md below its front matter. */
export function skillBody(text: string): string {
  return text.replace(frontMatter, '').trim();
}

function readText(
  folder: string,
  file: string,
  fail: (field: string, problem: string, cause?: unknown) => never,
): string {
  try {
    const real = realpathSync(file);
    if (!real.startsWith(realpathSync(folder) + sep))
      return fail(file, 'it is a link to outside the skill: put the file itself there.');
    // A pipe would be waited for, for ever.
    if (!statSync(real).isFile()) return fail(file, 'it is no file: write the skill into one.');
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(real));
  } catch (cause) {
    if (cause instanceof DefinitionError) throw cause;
    return fail(file, `it can't be read as UTF-8 text: ${describeError(cause)}`, cause);
  }
}

function parseHeader(
  header: string,
  fail: (problem: string, cause?: unknown) => never,
): Record<string, unknown> {
  let fields: unknown;
  try {
    fields = parse(header);
  } catch (cause) {
    return fail(`its front matter is no YAML: ${describeError(cause)}`, cause);
  }
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
    return fail('its front matter must have a name and a description.');
  return fields as Record<string, unknown>;
}
