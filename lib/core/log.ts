/** The structured log that every module is handed. Fields hold names and numbers, never a secret value. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** Runs work; every line that is logged meanwhile, whoever logs it, carries these fields too. Absent: lines stay as they are. */
  scope?<Result>(fields: object, work: () => Result): Result;
}

/** The same, whether the log has scopes or not. */
export const inScope = <Result>(log: Log, fields: object, work: () => Result): Result =>
  log.scope === undefined ? work() : log.scope(fields, work);

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
