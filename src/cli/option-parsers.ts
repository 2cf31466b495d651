import { InvalidArgumentError } from 'commander';
import { parseRule } from '../core/permission-rule.ts';
import type { PermissionRule } from '../core/permission.ts';
import type { Json } from '../schema/message.ts';

export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Write a whole number from ${least} to ${most}.`);
  };
}

const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Milliseconds. */
export function duration(text: string): number {
  const [, amount, unit] = /^(\d+)([smhd])$/.exec(text) ?? [];
  if (amount === undefined) throw new InvalidArgumentError('Write a number and s, m, h or d, as in 15m.');
  return Number(amount) * unitMs[unit as keyof typeof unitMs];
}

export function oneOf<const T extends string>(...choices: T[]): (text: string) => T {
  return (text) => {
    const choice = choices.find((name) => name === text);
    if (choice !== undefined) return choice;
    throw new InvalidArgumentError(`Write one of: ${choices.join(', ')}.`);
  };
}

export function json(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new InvalidArgumentError(
      `It is not JSON (${error instanceof Error ? error.message : String(error)}); quote it for the shell, as in '{"amount": 5}'.`,
    );
  }
}

export function allowRule(text: string): PermissionRule {
  try {
    return parseRule(text, 'allow');
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new InvalidArgumentError(`${error.message}, as in refund or 'refund(orderId=1001)'.`);
  }
}
