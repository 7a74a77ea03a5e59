import { definitions } from '#destinations/index.ts';
import { loadFacts } from '#destinations/load.ts';

const known = new Map(await Promise.all(definitions.map(async ({ type }) => [type, await loadFacts(type)] as const)));

/** The facts of a type, loaded before the tests start. */
export function factsOf(type: string) {
  const facts = known.get(type);
  if (facts === undefined) throw new Error(`no facts of ${type}`);
  return facts;
}

/** The npm packages of each type. */
export const packagesByType: ReadonlyMap<string, readonly string[]> = new Map(
  [...known].map(([type, { packages }]) => [type, packages]),
);
