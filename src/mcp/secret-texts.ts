import { scrub } from '../core/redact.ts';

/** What is shorter is no secret, and would be cut out of ordinary text. */
const shortest = 6;

/** Texts that must not come back out of a connection: neither in a result nor in an error. */
export class SecretTexts {
  readonly #texts = new Set<string>();

  add(...texts: readonly (string | undefined)[]): void {
    for (const text of texts) if (text !== undefined && text.length >= shortest) this.#texts.add(text);
  }

  scrub(text: string): string {
    return this.#texts.size === 0 ? text : scrub(text, [...this.#texts]);
  }
}
