import type { ToolSpec } from './model.ts';

const isFit = (name: string): boolean => /^[a-zA-Z0-9_-]{1,64}$/.test(name);

/** Tool names as OpenAI's pattern allows them, and back. */
export class ToolNames {
  readonly #toWire = new Map<string, string>();
  readonly #fromWire = new Map<string, string>();

  constructor(tools: readonly ToolSpec[]) {
    // Names that fit keep themselves, whatever comes before them in the list.
    for (const { name } of tools) if (isFit(name)) this.#register(name, name);
    for (const { name } of tools) this.toWire(name);
  }

  toWire(name: string): string {
    return this.#toWire.get(name) ?? this.#register(name, this.#fit(name));
  }

  fromWire(name: string): string {
    return this.#fromWire.get(name) ?? name;
  }

  #register(name: string, wireName: string): string {
    this.#toWire.set(name, wireName);
    this.#fromWire.set(wireName, name);
    return wireName;
  }

  #fit(name: string): string {
    const base = name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unnamed';
    let fit = base;
    for (let n = 2; this.#fromWire.has(fit); n += 1) fit = `${base.slice(0, 60)}_${n}`;
    return fit;
  }
}
