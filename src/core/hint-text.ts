import type { HintBlock } from '../schema/message.ts';

/** The tags in which a model reads messages of the inbox. */
const tags: Record<string, string> = {
  team: 'team-message',
  task: 'task-message',
  wakeup: 'wake-up',
  schedule: 'scheduled-task',
  reminder: 'reminder',
};

/** A hint as the model reads it. What came through the inbox says from whom, and can't be taken for anything else: markup in it is escaped. */
export function hintText({ text, source, from }: Pick<HintBlock, 'text' | 'source' | 'from'>): string {
  if (!from) return text;
  const tag = tags[source ?? ''] ?? 'message';
  return `<${tag} from="${escapeMarkup(from.name)}">\n${escapeMarkup(text)}\n</${tag}>`;
}

/** Text that can't be taken for a tag around it. */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? character);
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
