/** Writes the lines of a device. It is called for one batch at a time. */
export interface Outlet {
  /** Writes complete lines. Rejects if not all of them were written. Callers do not wait longer than `limitMs`. */
  write(lines: readonly string[], limitMs: number): Promise<void>;
  /** Accepts only one line per call. */
  readonly single?: true;
  /** Opens its file again with the next lines. Absent when it has no file. */
  reopen?(): void;
  close(): Promise<void>;
}

/** Why a device did not record a line. Its message contains nothing of the line. */
export class NotRecorded extends Error {
  override readonly name = 'NotRecorded';
}
