/** The structured log that every module is handed. Fields hold names and numbers, never a secret value. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** Runs work; every line that is logged meanwhile, whoever logs it, carries these fields too. Absent: lines stay as they are. */
  scope?<Result>(fields: object, work: () => Result): Result;
  /** The log of a part of the process, whose level can be set by itself. Absent: the log has no parts. */
  part?(name: string): Log;
  /** Absent: levels stay as they are. */
  readonly levels?: LogLevels;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** The levels of a log and its parts, which may be changed while the process runs. */
export interface LogLevels {
  /** By part; the log itself is the part `core`. */
  all(): ReadonlyMap<string, LogLevel>;
  /** Sets the level of all parts, of those to come too. */
  setAll(level: LogLevel): void;
  /** False: there is no such part. */
  set(part: string, level: LogLevel): boolean;
  /** All parts get the level that the process was started with. */
  resetAll(): void;
  /** False: there is no such part. */
  reset(part: string): boolean;
}

/** The log of a part, or the log itself where it has none. */
export const partOf = (log: Log, name: string): Log => log.part?.(name) ?? log;

/** The same, whether the log has scopes or not. */
export const inScope = <Result>(log: Log, fields: object, work: () => Result): Result =>
  log.scope === undefined ? work() : log.scope(fields, work);

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
