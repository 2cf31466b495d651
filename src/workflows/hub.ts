// Workflow code: agents that see each other's messages. Pure; imports nothing.

/**
 * A conversation of several: whoever speaks hears first what was said since they spoke last. It is held by the workflow that made it.
 *
 * @param speak runs a turn of a member, given what it has not heard, and returns what it said.
 */
export class Hub<Message> {
  readonly #speak: (name: string, heard: Message[]) => Promise<Message>;
  readonly #unheard: Map<string, Message[]>;

  constructor(members: readonly string[], speak: (name: string, heard: Message[]) => Promise<Message>) {
    this.#speak = speak;
    this.#unheard = new Map(members.map((name) => [name, []]));
  }

  /** Tells every member something, or all but the one who said it. */
  announce(message: Message, by?: string): void {
    for (const [name, messages] of this.#unheard) if (name !== by) messages.push(message);
  }

  /** Lets a member speak: it hears what is new to it, and what it says is news to the others. */
  async turn(name: string, ...more: Message[]): Promise<Message> {
    const unheard = this.#unheard.get(name);
    if (!unheard)
      throw new RangeError(
        `${name} is no member of the hub: its members are ${[...this.#unheard.keys()].join(', ')}`,
      );
    this.#unheard.set(name, []);
    const said = await this.#speak(name, [...unheard, ...more]);
    this.announce(said, name);
    return said;
  }

  /** Lets every member speak once, in order. */
  async round(): Promise<Message[]> {
    const said: Message[] = [];
    for (const name of this.#unheard.keys()) said.push(await this.turn(name));
    return said;
  }
}
