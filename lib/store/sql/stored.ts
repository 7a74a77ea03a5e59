import { checking } from './checking.ts';
import type { Kind } from './kinds.ts';
import { mismatchOf } from './mismatch.ts';

/**
 * A stored value of this kind that reaches its reader through code for any kind of value, such as unsealed JSON. Checked under test,
 * as rows are.
 */
export function storedAs<T>(kind: Kind<T, never>, stored: unknown): T {
  const report = checking();
  const mismatch = report && mismatchOf({ stored: kind }, { rows: [{ stored }] });
  if (mismatch !== undefined) {
    report?.(mismatch);
    throw new Error(mismatch);
  }
  return stored as T;
}
