/** The rules of versions that are decided in the program. Those that SQL decides are in `rules.ts`. */

/** Why a write with this check-and-set parameter is refused; undefined: it is not. */
export function casRefusal(cas: number | undefined, required: boolean, currentVersion: number): string | undefined {
  if (cas === undefined) return required ? casMissing : undefined;
  return cas === currentVersion ? undefined : casMismatch;
}

export const casMissing = 'check-and-set parameter required for this call';
export const casMismatch = 'check-and-set parameter did not match the current version';

/** The highest version number; PostgreSQL's `integer` ends there. */
export const versionMax = 2_147_483_647;

/**
 * The check-and-set parameter in the forms in which clients send it: a number, a text of digits, `null` or an empty text
 * for 0, a bool. `unreadable`: none of these. What can be no version answers -1, which matches none.
 */
export function readCas(given: unknown): number | 'unreadable' {
  if (given === null || given === '') return 0;
  if (typeof given === 'boolean') return given ? 1 : 0;
  const number = typeof given === 'string' && /^[+-]?\d{1,18}$/.test(given) ? Number(given) : given;
  if (typeof number !== 'number' || !Number.isInteger(number)) return 'unreadable';
  return number >= 0 && number <= versionMax ? number : -1;
}
