// Beyond the usual files: the host gives no versions; times stand for them, and the API compares them too.
import type { Answer } from './exchange.ts';

/** The host's machines have clocks of their own, and an answer takes its time after the secret was stored. */
const toleranceMs = 2_000;

/**
 * The version of a secret is the time of its last change, which the answer to a put does not give: its answer's own time stands for it, in
 * seconds as the host writes them. Null: the answer bears no time.
 */
export function versionAt({ headers }: Pick<Answer, 'headers'>): string | null {
  const at = Date.parse(String(headers['date']));
  return Number.isNaN(at) ? null : new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** A change that somebody makes within the tolerance after ours passes for ours. */
export const isSameVersion = (recorded: string, found: string): boolean =>
  Math.abs(Date.parse(found) - Date.parse(recorded)) <= toleranceMs;
