import type { Json } from '../schema/message.ts';

/** What stands where a secret was. */
export const redactedValue = '[secret]';

/**
 * Arguments with the values of the given fields replaced. A field is a path such as `card.number`; `*` stands for any key or index.
 * Text that is no JSON object is replaced whole: nobody knows where its secrets are.
 */
export function redactArguments(raw: string, secrets: readonly string[]): string {
  if (secrets.length === 0) return raw;
  let value: unknown;
  try {
    value = JSON.parse(raw);
  } catch {
    return JSON.stringify(redactedValue);
  }
  return JSON.stringify(
    secrets.reduce((redacted, path) => redactAt(redacted, path.split('.')), value as Json),
  );
}

function redactAt(value: Json, [key, ...rest]: string[]): Json {
  if (key === undefined) return redactedValue;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value))
    return value.map((item, i) => (key === '*' || key === String(i) ? redactAt(item, rest) : item));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      key === '*' || key === name ? redactAt(item, rest) : item,
    ]),
  );
}
