import { scrub } from '../core/redact.ts';

/** What is shorter is no secret, and would be cut out of ordinary text. */
const shortest = 6;

/** Texts that must not come back out of a connection: neither in a result nor in an error, as they are or encoded. */
export class SecretTexts {
  readonly #forms = new Set<string>();
  #longestFirst: readonly string[] | undefined;

  add(...texts: readonly (string | undefined)[]): void {
    for (const text of texts) {
      if (text === undefined || text.length < shortest) continue;
      for (const form of formsOf(text)) this.#forms.add(form);
    }
    this.#longestFirst = undefined;
  }

  scrub(text: string): string {
    // One that begins another must not leave the other's end.
    this.#longestFirst ??= [...this.#forms].toSorted((a, b) => b.length - a.length);
    return scrub(text, this.#longestFirst);
  }
}

/** What the address of a server has that may be secret: the values of its query, and a user and password. */
export function secretsOfUrl(address: string): string[] {
  const url = URL.parse(address);
  if (!url) return [];
  // As they were written as well: a value need not be encoded in the one way that we would choose.
  const written = url.search.slice(1).split('&');
  return [
    ...[...url.searchParams.values(), url.username, url.password].flatMap((value) => [value, decoded(value)]),
    ...written.map((pair) => pair.slice(pair.indexOf('=') + 1)),
  ];
}

/** The address as it may be shown. */
export function shownUrl(address: string): string {
  const url = URL.parse(address);
  return url ? `${url.origin}${url.pathname}${url.search === '' ? '' : '?…'}` : 'an address that is none';
}

/** A secret as it is, and as it looks in an address, in JSON, and in base64. */
function formsOf(text: string): string[] {
  const inUrl = encodeURIComponent(text.toWellFormed());
  const forms = [
    text,
    inUrl,
    inUrl.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    inUrl.replaceAll('%20', '+'),
    JSON.stringify(text).slice(1, -1),
    ...base64Forms(text),
  ];
  return forms.filter((form) => form.length >= shortest);
}

/** By itself, and inside of a longer text that was encoded: there it begins at one of three places in a group. */
function base64Forms(text: string): string[] {
  const whole = Buffer.from(text);
  const inner = [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), whole]);
    // The first characters hold bits of what is before it, the last one of what is behind.
    return bytes.toString('base64url').slice([0, 2, 3][before], Math.floor((bytes.length * 8) / 6));
  });
  return [whole.toString('base64url'), ...inner].flatMap((form) => [
    form,
    form.replaceAll('-', '+').replaceAll('_', '/'),
  ]);
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
