import type { Log, LogLevel, LogLevels } from './log.ts';

const order: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'silent'];
const corePart = 'core';

/** Adds parts to a log, each of which passes lines of its level and above. A part is created once per name. */
export function withLevels(log: Log, started: LogLevel): Log {
  const parts = new Map<string, Part>();
  let usual = started;
  const partOf = (name: string): Part => {
    const known = parts.get(name);
    if (known !== undefined) return known;
    const made = newPart(log, usual);
    parts.set(name, made);
    return made;
  };
  const setAll = (level: LogLevel) => {
    usual = level;
    for (const part of parts.values()) part.level = level;
  };
  const set = (name: string, level: LogLevel) => {
    const part = parts.get(name);
    if (part !== undefined) part.level = level;
    return part !== undefined;
  };
  const levels: LogLevels = {
    all: () => new Map([...parts].map(([name, { level }]) => [name, level])),
    setAll,
    set,
    resetAll: () => setAll(started),
    reset: (name) => set(name, started),
  };
  return { ...partOf(corePart).log, levels, part: (name) => partOf(name).log };
}

interface Part {
  level: LogLevel;
  readonly log: Log;
}

function newPart(log: Log, level: LogLevel): Part {
  const passes = (at: LogLevel) => order.indexOf(at) >= order.indexOf(part.level);
  const part: Part = {
    level,
    log: {
      ...log,
      debug: (fields, message) => passes('debug') && log.debug(fields, message),
      info: (fields, message) => passes('info') && log.info(fields, message),
      warn: (fields, message) => passes('warn') && log.warn(fields, message),
      error: (fields, message) => passes('error') && log.error(fields, message),
    },
  };
  return part;
}
