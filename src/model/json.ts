import type { Json } from '../schema/message.ts';

export type JsonObject = Record<string, Json>;

/** Readers of JSON from outside: what is not of the wanted form counts as absent, for endpoints leave out or misspell anything. */
export function objectOf(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

export function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

export function numberOf(value: Json | undefined): number {
  return typeof value === 'number' ? value : 0;
}

/** Undefined for what is no text, or empty. */
export function nameOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
