import { z } from 'zod';
import { objectsOf, pick, type RowOf } from '#store/sql/columns.ts';
import { jsonOf, nullable, oneOf, text } from '#store/sql/kinds.ts';
import { destinationsTable, syncRulesTable } from '#store/tables/sync.ts';

/**
 * active → suspended and back: while *suspended* it changes nothing, because its owner may not read or associate what it selects; the
 * sweep resumes it when that has changed, and so does storing it again. *deleting* is final.
 */
export const ruleStates = ['active', 'suspended', 'deleting'] as const;

/**
 * The way through everything that a stored or deleted rule may concern: first the secrets that it *held* before, then all *secrets* below
 * its prefix.
 */
export const walks = ['held', 'secrets'] as const;

/** Whose rights a rule has. The policies are names: their present text counts, and that of the policies of the entity. */
const owner = z.strictObject({
  namespace_id: z.string(),
  policies: z.array(z.string()).readonly(),
  /** Empty for a token without an entity. */
  entity_id: z.string(),
  display_name: z.string(),
});
export type RuleOwner = z.infer<typeof owner>;

export const ruleDestinationColumns = pick(destinationsTable, 'id', 'type', 'name', 'granularity', 'template');

export const ruleColumns = {
  ...syncRulesTable,
  owner: jsonOf(owner),
  state: oneOf(...ruleStates),
  walk: nullable(oneOf(...walks)),
  namespace_path: text,
  /** Those that are not being purged. */
  destinations: objectsOf(ruleDestinationColumns),
};

export type SyncRule = RowOf<typeof ruleColumns>;
export type RuleDestination = RowOf<typeof ruleDestinationColumns>;

/** Rules of a namespace. */
export const rulesMax = 100;
/** Destinations of a rule. */
export const destinationsMax = 20;
/** Pairs of custom metadata that a rule compares. */
export const pairsMax = 16;
