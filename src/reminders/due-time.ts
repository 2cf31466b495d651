const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A workflow must not wait for what nobody will remember. */
const longestMs = 366 * unitMs.d;

/**
 * When a reminder is due: an ISO time with its zone, or a delay such as `90s`, `15m`, `6h`, `2d`, or `1d 12h`.
 *
 * @param now milliseconds since the epoch.
 * @returns an ISO time.
 * @throws RangeError with a sentence that tells the model what to write.
 */
export function dueTime(when: string, now: number): string {
  const due = delayOf(when) ?? timeOf(when);
  const at = due.isDelay ? now + due.ms : due.ms;
  if (at <= now) throw new RangeError(`${when} is in the past: it is ${new Date(now).toISOString()} now`);
  if (at - now > longestMs) throw new RangeError(`${when} is more than a year away`);
  return new Date(at).toISOString();
}

interface Due {
  isDelay: boolean;
  ms: number;
}

function delayOf(when: string): Due | undefined {
  if (!/^\s*(\d+\s*[smhd]\s*)+$/.test(when)) return undefined;
  let ms = 0;
  for (const [, amount, unit] of when.matchAll(/(\d+)\s*([smhd])/g))
    ms += Number(amount) * unitMs[unit as keyof typeof unitMs];
  return { isDelay: true, ms };
}

function timeOf(when: string): Due {
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(when.trim());
  const ms = isTime ? Date.parse(when.trim()) : Number.NaN;
  if (!Number.isFinite(ms))
    throw new RangeError(
      `"${when}" is no time: write an ISO time with its zone, such as 2026-12-01T08:00:00Z, or a delay such as 15m or 1d 12h`,
    );
  const wrong = wrongDay(when.trim());
  if (wrong) throw new RangeError(`there is no ${wrong.day}: that month has ${wrong.days} days`);
  return { isDelay: false, ms };
}

/** `Date.parse` takes a day past a month's end for one of the next month. */
function wrongDay(time: string): { day: string; days: number } | undefined {
  const [year = 0, month = 0, day = 0] = time.slice(0, 10).split('-').map(Number);
  const days = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return day > days ? { day: time.slice(0, 10), days } : undefined;
}
