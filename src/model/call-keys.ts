/** What a fragment of a tool call says of whose it is. Endpoints leave out or repeat any of it. */
export interface FragmentMarks {
  index: number | undefined;
  id: string | undefined;
  name: string | undefined;
  /** Its place in the list that it came in. */
  position: number;
}

/**
 * Tells tool calls apart in a stream of fragments: by `index` where it is sent, else by `id`, else by their place, where a name opens a new one.
 *
 * Seen with real endpoints: no index; the id in each fragment, or in the first alone, or another random one each time; every whole call
 * under index 0; neither id nor index.
 */
export class CallKeys {
  readonly #byIndex = new Map<number, { key: string; id: string | undefined }>();
  readonly #byId = new Map<string, string>();
  readonly #byPosition = new Map<number, string>();
  #opened = 0;
  #latest: string | undefined;

  keyOf(marks: FragmentMarks): string {
    const key = marks.index === undefined ? this.#withoutIndex(marks) : this.#withIndex(marks.index, marks);
    this.#byPosition.set(marks.position, key);
    this.#latest = key;
    return key;
  }

  /** Another id under a known index is a new call only if it brings a name: some endpoints invent an id for each fragment. */
  #withIndex(index: number, { id, name }: FragmentMarks): string {
    const known = this.#byIndex.get(index);
    const isNew =
      !known || (name !== undefined && id !== undefined && known.id !== undefined && known.id !== id);
    if (!isNew) return known.key;
    const key = this.#open();
    this.#byIndex.set(index, { key, id });
    return key;
  }

  #withoutIndex({ id, name, position }: FragmentMarks): string {
    if (id !== undefined) {
      const key = this.#byId.get(id) ?? this.#open();
      this.#byId.set(id, key);
      return key;
    }
    if (name !== undefined) return this.#open();
    return this.#byPosition.get(position) ?? this.#latest ?? this.#open();
  }

  #open(): string {
    return `c${this.#opened++}`;
  }
}
