/** Where a device's lines go. One call at a time. */
export interface Outlet {
  /** Takes whole lines, all of them or none that counts; rejects otherwise. After `limitMs` nobody waits any more. */
  write(lines: readonly string[], limitMs: number): Promise<void>;
  /** It takes one line at a time. */
  readonly single?: true;
  /** Its file is opened again with the next lines. Absent: there is none. */
  reopen?(): void;
  close(): Promise<void>;
}

/** Why a device did not record a line. Its message names no content. */
export class NotRecorded extends Error {
  override readonly name = 'NotRecorded';
}
