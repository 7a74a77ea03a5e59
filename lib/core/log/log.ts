/** The structured log passed to every module. Fields contain names and numbers, never a secret value. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** Runs work and adds these fields to every line logged during it, by any module. Absent when the log has no scopes. */
  scope?<Result>(fields: object, work: () => Result): Result;
  /** The log of a part of the process, which has its own level. Absent when the log has no parts. */
  part?(name: string): Log;
  /** Absent when the levels cannot be changed. */
  readonly levels?: LogLevels;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** The levels of a log and its parts, which may be changed while the process runs. */
export interface LogLevels {
  /** Levels by part; the log itself is the part `core`. */
  all(): ReadonlyMap<string, LogLevel>;
  /** Sets the level of all parts, including future ones. */
  setAll(level: LogLevel): void;
  /** Returns false when there is no such part. */
  set(part: string, level: LogLevel): boolean;
  /** Resets all parts to the level the process was started with. */
  resetAll(): void;
  /** Returns false when there is no such part. */
  reset(part: string): boolean;
}

/** The log of a part, or the log itself when it has no parts. */
export const partOf = (log: Log, name: string): Log => log.part?.(name) ?? log;

/** Runs work with these fields if the log has scopes, and without them otherwise. */
export const inScope = <Result>(log: Log, fields: object, work: () => Result): Result =>
  log.scope === undefined ? work() : log.scope(fields, work);

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
