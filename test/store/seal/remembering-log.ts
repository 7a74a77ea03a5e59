import type { Log } from '#core/log/log.ts';

/** A log whose lines (fields and message) a test can read. */
export function rememberingLog(): { readonly log: Log; readonly lines: string[] } {
  const lines: string[] = [];
  const write = (fields: object, message: string) => {
    lines.push(`${message} ${JSON.stringify(fields)}`);
  };
  return { lines, log: { debug: write, info: write, warn: write, error: write } };
}
