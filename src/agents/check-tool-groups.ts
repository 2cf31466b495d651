import { DefinitionError } from '../tools/definition-error.ts';
import { checkSources } from './check-sources.ts';
import { checkTools } from './check-tools.ts';
import type { ToolGroup, ToolGroups } from './tool-group.ts';

const groupName = /^[A-Za-z0-9_-]{1,64}$/;
const members = ['description', 'instructions', 'tools', 'sources'];

/** @throws DefinitionError naming the field and the remedy. */
export function checkToolGroups(subject: string, groups: unknown): ToolGroups {
  if (groups === undefined) return {};
  if (typeof groups !== 'object' || groups === null || Array.isArray(groups))
    throw new DefinitionError(
      subject,
      'toolGroups',
      "write groups by name, such as { mail: { description: 'Reads and sends mail', tools: [sendMail] } }.",
    );
  return Object.freeze(
    Object.fromEntries(
      Object.entries(groups).map(([name, group]) => [name, checkGroup(subject, name, group)]),
    ),
  );
}

function checkGroup(subject: string, name: string, group: unknown): ToolGroup {
  const field = `toolGroups.${name}`;
  const fail = (at: string, problem: string): never => {
    throw new DefinitionError(subject, at, problem);
  };
  if (!groupName.test(name)) fail(field, 'a group is named by letters, digits, _ and -, at most 64.');
  if (name === 'basic') fail(field, 'basic are the tools that are always on: put these into tools.');
  if (typeof group !== 'object' || group === null)
    fail(field, 'expected a group such as { description, tools }.');
  const { description, instructions, tools = [], sources = [] } = group as Partial<ToolGroup>;
  const unknown = Object.keys(group as object).find((key) => !members.includes(key));
  if (unknown !== undefined)
    fail(`${field}.${unknown}`, `there is no such option: a group has ${members.join(', ')}.`);
  if (typeof description !== 'string' || description.trim() === '')
    fail(`${field}.description`, 'tell the model when to activate the group.');
  if (instructions !== undefined && typeof instructions !== 'string')
    fail(`${field}.instructions`, 'write a text.');
  return Object.freeze({
    description: description as string,
    ...(instructions === undefined ? {} : { instructions }),
    tools: Object.freeze(checkTools(subject, tools, `${field}.tools`)),
    sources: Object.freeze(checkSources(subject, sources, `${field}.sources`)),
  });
}
