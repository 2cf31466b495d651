import { describe, expect, it } from 'vitest';
import { dueTime } from '../../src/reminders/due-time.ts';

const now = Date.parse('2026-12-01T08:00:00Z');

describe('the time of a reminder', () => {
  it.each([
    ['90s', '2026-12-01T08:01:30.000Z'],
    ['15m', '2026-12-01T08:15:00.000Z'],
    ['1d 12h', '2026-12-02T20:00:00.000Z'],
    ['2026-12-24T18:00:00Z', '2026-12-24T18:00:00.000Z'],
    ['2026-12-24T18:00+01:00', '2026-12-24T17:00:00.000Z'],
  ])('%s is %s', (when, at) => {
    expect(dueTime(when, now)).toBe(at);
  });

  it.each([
    ['tomorrow', 'is no time'],
    ['2026-12-24T18:00:00', 'with its zone'],
    ['2026-13-45T18:00:00Z', 'is no time'],
    ['2027-02-29T18:00:00Z', 'there is no 2027-02-29: that month has 28 days'],
    ['2027-11-31T18:00:00+01:00', 'there is no 2027-11-31'],
    ['2026-11-30T08:00:00Z', 'in the past: it is 2026-12-01T08:00:00.000Z now'],
    ['0s', 'in the past'],
    ['400d', 'more than a year'],
  ])('%s is refused: %s', (when, why) => {
    expect(() => dueTime(when, now)).toThrow(why);
  });
});
