/** Ends a `switch` over a closed union: the compiler complains when a kind is forgotten. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}
