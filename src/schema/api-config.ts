import { z } from 'zod';

const text = (example: string) =>
  z.string(`write text, such as ${example}`).regex(/\S/, `write text, such as ${example}`);
const amount = z.number('write a number').positive('write more than 0');
const whole = z.int('write a whole number').min(1, 'write at least 1');

/** Whose JSON Web Tokens are taken, and where in them things stand. */
export const JwtConfig = z.strictObject({
  issuer: text("'https://login.example.com/'"),
  audience: text("'durascope'"),
  /** Where the issuer publishes its keys. */
  jwksUrl: z.url({
    protocol: /^https?$/,
    error: "write an address such as 'https://login.example.com/jwks'",
  }),
  claims: z
    .strictObject({
      /** Whose sessions the bearer works on. Default `org`. */
      owner: text("'org'").exactOptional(),
      /** Who it is, for the audit and approval policies. Default `sub`. */
      subject: text("'sub'").exactOptional(),
      /** A list, or text with spaces between. Default `scope`. */
      scopes: text("'scope'").exactOptional(),
      /** A list. Default `roles`. */
      roles: text("'roles'").exactOptional(),
    })
    .exactOptional(),
  /** What stands before a scope's name in the token, such as `durascope:`. */
  scopePrefix: z.string('write text').exactOptional(),
});
export type JwtConfig = z.output<typeof JwtConfig>;

/** What one owner may use. Each is optional: without it there is no limit. */
export const OwnerLimits = z.strictObject({
  /** On average, in one server process. */
  requestsPerSecond: amount.exactOptional(),
  /** Requests that may come at once; default: those of two seconds. */
  burst: whole.exactOptional(),
  /** Sessions whose turns run: what waits at a gate does not count. */
  turnsAtOnce: whole.max(200, 'write at most 200').exactOptional(),
  /** Input and output tokens of the turns that ended in a day (UTC). */
  tokensPerDay: whole.exactOptional(),
  /** Of those, by `prices`, in their currency. */
  costPerDay: amount.exactOptional(),
});
export type OwnerLimits = z.output<typeof OwnerLimits>;

/** What a million tokens of a model cost. */
export const Price = z.strictObject({
  input: z.number('write a number').min(0, 'write at least 0'),
  output: z.number('write a number').min(0, 'write at least 0'),
  /** Default: as `input`. */
  cachedInput: z.number('write a number').min(0, 'write at least 0').exactOptional(),
});
export type Price = z.output<typeof Price>;

/** The HTTP API. */
export const ApiConfig = z.strictObject({
  /** Origins of pages that may call it from a browser. */
  corsOrigins: z
    .array(z.url({ protocol: /^https?$/, error: "write origins such as 'https://app.example.com'" }))
    .exactOptional(),
  /** Where people open Temporal Web: the admin page links to runs there. `dev` knows it by itself. */
  temporalWeb: z
    .url({ protocol: /^https?$/, error: "write an address such as 'https://temporal.example.com'" })
    .exactOptional(),
  jwt: JwtConfig.exactOptional(),
  /** Of every owner that `ownerLimits` does not name. */
  limits: OwnerLimits.exactOptional(),
  ownerLimits: z.record(z.string(), OwnerLimits).exactOptional(),
  /** By model, as agents name it. */
  prices: z.record(z.string(), Price).exactOptional(),
});
export type ApiConfig = z.output<typeof ApiConfig>;
