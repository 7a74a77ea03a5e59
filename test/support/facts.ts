import { definitions } from '../../lib/destinations/index.ts';
import { loadFacts } from '../../lib/destinations/load.ts';

const known = new Map(await Promise.all(definitions.map(async ({ type }) => [type, await loadFacts(type)] as const)));

/** What is known of each type, for tests that need it before they begin. */
export function factsOf(type: string) {
  const facts = known.get(type);
  if (facts === undefined) throw new Error(`no facts of ${type}`);
  return facts;
}

/** The npm packages that each type brings. */
export const packagesByType: ReadonlyMap<string, readonly string[]> = new Map(
  [...known].map(([type, { packages }]) => [type, packages]),
);
