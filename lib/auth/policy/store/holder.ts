import type { Namespace } from '#core/namespace.ts';
import type { Caller, TokenRow } from '#path/contract/request.ts';
import { type EntityFacts, type FactsHolder, type Grants, namesIn } from './facts.ts';

/** The holder of policies: a caller, or a token whose capabilities are requested. */
export type Holder = Pick<Caller, 'namespace' | 'policies' | 'entityId' | 'entityState'>;

/** All policies of a token, its entity and its groups, those of its namespace first. */
export function grantsOfHolder(
  { namespace, policies }: Pick<Holder, 'namespace' | 'policies'>,
  facts: EntityFacts,
): Grants {
  const own = namesIn(facts.policies, namespace.id);
  const names = own.length === 0 ? policies : [...new Set([...policies, ...own])];
  return [{ namespace, names }, ...facts.policies.filter((one) => one.namespace.id !== namespace.id)];
}

/** The holder of a token that was looked up. */
export const holderOfRow = (
  row: Pick<TokenRow, 'policies' | 'entity_id' | 'entity_state'>,
  namespace: Namespace,
): Holder => ({ namespace, policies: row.policies, ...entityOfRow(row) });

/** The entity of a token, in the state that the look-up found. */
export const entityOfRow = (row: Pick<TokenRow, 'entity_id' | 'entity_state'>): FactsHolder => ({
  entityId: row.entity_id,
  ...(row.entity_state === null ? {} : { entityState: row.entity_state }),
});
