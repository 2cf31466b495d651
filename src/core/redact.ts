import type { Json } from '../schema/message.ts';

/** What stands where a secret was. */
export const redactedValue = '[secret]';

/**
 * Arguments with the values of the given fields replaced. A field is a path such as `card.number`; `*` stands for any key or index. What
 * a path can't enter because it has another shape is replaced whole, as is text that is no JSON object: nobody knows where its secrets are.
 */
export function redactArguments(raw: string, secrets: readonly string[]): string {
  if (secrets.length === 0 || raw.trim() === '') return raw;
  let value: Json;
  try {
    value = JSON.parse(raw) as Json;
  } catch {
    return JSON.stringify(redactedValue);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return JSON.stringify(redactedValue);
  return JSON.stringify(
    secrets.reduce((redacted, path) => redactAt(redacted, path.split('.')), value as Json),
  );
}

/** Arguments of which nothing may be told. */
export function redactWhole(raw: string): string {
  return raw.trim() === '' ? raw : JSON.stringify(redactedValue);
}

/** Arguments that a person edited without seeing the secrets: where they left the stand-in, the value of the original is meant. */
export function fillRedacted(edited: Json, original: Json | undefined): Json {
  if (edited === redactedValue) return original ?? edited;
  if (typeof edited !== 'object' || edited === null) return edited;
  const at = (key: string): Json | undefined =>
    typeof original === 'object' && original !== null && Object.hasOwn(original, key)
      ? (original as Record<string, Json>)[key]
      : undefined;
  if (Array.isArray(edited)) return edited.map((item, i) => fillRedacted(item, at(String(i))));
  return Object.fromEntries(
    Object.entries(edited).map(([name, item]) => [name, fillRedacted(item, at(name))]),
  );
}

/** Arguments with each value of the given fields changed; text that is no JSON stays as it is. */
export function mapSecrets(raw: string, secrets: readonly string[], change: (value: Json) => Json): string {
  try {
    const value = JSON.parse(raw) as Json;
    return JSON.stringify(secrets.reduce((mapped, path) => mapAt(mapped, path.split('.'), change), value));
  } catch {
    return raw;
  }
}

/** The texts of secret fields that are long enough to be told from other words: of at least `shortest` characters. */
export function secretTexts(raw: string, secrets: readonly string[], shortest = shortestSecret): string[] {
  const texts: string[] = [];
  mapSecrets(raw, secrets, (value) => {
    const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
    if (text.length >= shortest) texts.push(text);
    return value;
  });
  return texts;
}

/** Text in which known secrets are replaced, where a tool repeats what it was given. */
export function scrub(text: string, secrets: readonly string[]): string {
  return secrets.reduce((scrubbed, secret) => scrubbed.replaceAll(secret, redactedValue), text);
}

const shortestSecret = 4;

/** A value with known secrets replaced in all of its texts. */
export function scrubAll<T>(value: T, secrets: readonly string[]): T {
  if (secrets.length === 0) return value;
  if (typeof value === 'string') return scrub(value, secrets) as T;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => scrubAll(item, secrets)) as T;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, scrubAll<unknown>(item, secrets)]),
  ) as T;
}

function mapAt(value: Json, [key, ...rest]: string[], change: (value: Json) => Json): Json {
  if (key === undefined) return change(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value))
    return value.map((item, i) => (key === '*' || key === String(i) ? mapAt(item, rest, change) : item));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      key === '*' || key === name ? mapAt(item, rest, change) : item,
    ]),
  );
}

function redactAt(value: Json, [key, ...rest]: string[]): Json {
  if (key === undefined) return redactedValue;
  if (value === null) return value;
  if (typeof value !== 'object') return redactedValue;
  if (Array.isArray(value)) {
    if (key !== '*' && !/^\d+$/.test(key)) return redactedValue;
    return value.map((item, i) => (key === '*' || key === String(i) ? redactAt(item, rest) : item));
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      key === '*' || key === name ? redactAt(item, rest) : item,
    ]),
  );
}
