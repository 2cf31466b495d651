import { DefinitionError } from '../tools/definition-error.ts';
import type { ToolSource } from '../tools/tool-source.ts';

const sourceName = /^[A-Za-z0-9_-]{1,64}$/;

/** @throws DefinitionError */
export function checkSources(subject: string, sources: unknown, at = 'sources'): ToolSource[] {
  if (!Array.isArray(sources)) throw new DefinitionError(subject, at, 'write an array of tool sources.');
  const checked = sources.map((source, index) => checkSource(subject, `${at}[${index}]`, source));
  for (const [index, { name }] of checked.entries()) {
    const first = checked.findIndex((other) => other.name === name);
    if (first !== index)
      throw new DefinitionError(
        subject,
        `${at}[${index}].name`,
        `${at}[${first}] and ${at}[${index}] are both named ${name}: rename one.`,
      );
  }
  return checked;
}

function checkSource(subject: string, field: string, source: unknown): ToolSource {
  if (typeof source !== 'object' || source === null || typeof Reflect.get(source, 'load') !== 'function')
    throw new DefinitionError(subject, field, 'expected a tool source: an object with a name and load().');
  const name: unknown = Reflect.get(source, 'name');
  if (typeof name !== 'string' || !sourceName.test(name))
    throw new DefinitionError(subject, `${field}.name`, 'write letters, digits, _ and -, at most 64.');
  return source as ToolSource;
}
