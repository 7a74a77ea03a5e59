/** The structured log that every room is handed. Fields hold names and numbers, never a secret value. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
