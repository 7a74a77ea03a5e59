import { pino } from 'pino';
import type { Config } from './config.ts';
import type { Log } from './log.ts';

/** One JSON line per entry on standard error; standard output is for people. */
export const openLog = (config: Pick<Config, 'KEYFERRY_LOG_LEVEL'>): Log =>
  pino({ level: config.KEYFERRY_LOG_LEVEL, base: null }, pino.destination(2));
