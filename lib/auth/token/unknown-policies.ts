import type { TokenParts } from './parts.ts';

const builtIn: ReadonlySet<string> = new Set(['root', 'default', 'response-wrapping']);

/** Of these policies those that are not there: a token with one of them may do less than its maker thinks. */
export async function unknownPolicies(
  { policiesThere }: Pick<TokenParts, 'policiesThere'>,
  names: readonly string[],
): Promise<readonly string[]> {
  const asked = names.filter((name) => !builtIn.has(name));
  if (asked.length === 0) return [];
  const there = (await policiesThere?.(asked)) ?? builtIn;
  return asked.filter((name) => !there.has(name));
}
