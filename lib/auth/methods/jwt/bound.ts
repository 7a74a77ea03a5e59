import { matchesGlob } from '../../token/roles/glob.ts';
import { type Claims, claimAt, textsOf } from './claims.ts';

/** What a role requires of the claims. */
export interface Bounds {
  readonly bound_audiences: readonly string[];
  readonly bound_subject: string;
  /** The allowed value or list of values of each claim. */
  readonly bound_claims: Readonly<Record<string, unknown>>;
  readonly bound_claims_type: 'string' | 'glob';
}

/** Why a role refuses the claims of a token, naming claims but never values. Undefined when it accepts them. */
export function boundProblem(claims: Claims, bounds: Bounds): string | undefined {
  return (
    audienceProblem(claims, bounds.bound_audiences) ??
    subjectProblem(claims, bounds.bound_subject) ??
    Object.entries(bounds.bound_claims)
      .map(([name, wanted]) => claimProblem(claims, name, { wanted, type: bounds.bound_claims_type }))
      .find((problem) => problem !== undefined)
  );
}

function audienceProblem(claims: Claims, bound: readonly string[]): string | undefined {
  const value = claimAt(claims, 'aud');
  const given = value === undefined ? [] : textsOf(value);
  if (given === undefined) return 'aud claim is neither a string nor a list of strings';
  if (bound.length === 0)
    return given.length > 0 ? 'audience claim found in JWT but no audiences bound to the role' : undefined;
  return given.some((one) => bound.includes(one)) ? undefined : 'aud claim does not match any bound audience';
}

function subjectProblem(claims: Claims, bound: string): string | undefined {
  return bound === '' || claimAt(claims, 'sub') === bound ? undefined : 'sub claim does not match bound subject';
}

function claimProblem(
  claims: Claims,
  name: string,
  { wanted, type }: { readonly wanted: unknown; readonly type: Bounds['bound_claims_type'] },
): string | undefined {
  const value = claimAt(claims, name);
  if (value === undefined) return `claim ${JSON.stringify(name)} is missing`;
  const given = textsOf(value);
  if (given === undefined) return `claim ${JSON.stringify(name)} is neither a value nor a list of values`;
  const matches = type === 'glob' ? matchesGlob : (one: string, other: string) => one === other;
  const isFound = (textsOf(wanted) ?? []).some((one) => given.some((text) => matches(one, text)));
  return isFound ? undefined : `claim ${JSON.stringify(name)} does not match any associated bound claim values`;
}
