import { pino } from 'pino';
import type { Log } from '../server/index.ts';

/** JSON lines. Nothing that is logged holds what callers send: ids, routes and outcomes only. */
export function createLog(level: 'info' | 'warn', to: NodeJS.WritableStream): Log {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, messageKey: 'message' }, to);
}
