/** A JSON Schema (2020-12) written as a plain object. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** The type that a JSON Schema literal describes, as far as its common keywords go; `unknown` beyond them. */
export type FromJsonSchema<S> = S extends { readonly const: infer Value }
  ? Value
  : S extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : S extends { readonly type: infer Type }
      ? FromType<Type, S>
      : unknown;

/** Distributes over `type: ['string', 'null']`. */
type FromType<Type, S> = Type extends readonly (infer OneOf)[]
  ? FromType<OneOf, S>
  : Type extends 'string'
    ? string
    : Type extends 'number' | 'integer'
      ? number
      : Type extends 'boolean'
        ? boolean
        : Type extends 'null'
          ? null
          : Type extends 'array'
            ? S extends { readonly items: infer Items }
              ? FromJsonSchema<Items>[]
              : unknown[]
            : Type extends 'object'
              ? FromObject<S>
              : unknown;

type FromObject<S> = S extends { readonly properties: infer Properties }
  ? Flat<
      { [K in keyof Properties & RequiredKeys<S>]: FromJsonSchema<Properties[K]> } & {
        [K in Exclude<keyof Properties, RequiredKeys<S>>]?: FromJsonSchema<Properties[K]>;
      }
    >
  : Record<string, unknown>;

type RequiredKeys<S> = S extends { readonly required: readonly (infer Key)[] } ? Key : never;

/** Shows an intersection as one object type. */
type Flat<T> = { -readonly [K in keyof T]: T[K] };
