// Beyond the usual files: the host has no versions; times serve as versions, and the API compares them too.
import type { Answer } from '../exchange.ts';

/** The clocks of the host's machines differ, and the answer is dated after the secret was stored. */
const toleranceMs = 2_000;

/**
 * The version of a secret is the time of its last change. The answer to a put does not contain it, so the answer's own date is used,
 * in the host's format. Null when the answer has no date.
 */
export function versionAt({ headers }: Pick<Answer, 'headers'>): string | null {
  const at = Date.parse(String(headers['date']));
  return Number.isNaN(at) ? null : new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** A foreign change within the tolerance after ours is taken for ours. */
export const isSameVersion = (recorded: string, found: string): boolean =>
  Math.abs(Date.parse(found) - Date.parse(recorded)) <= toleranceMs;
