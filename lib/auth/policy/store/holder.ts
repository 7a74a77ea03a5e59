import type { Namespace } from '../../../core/namespace.ts';
import type { Caller } from '../../../path/contract/request.ts';
import { type Grants, namesIn } from '../../identity/facts/grants.ts';
import type { FactsHolder } from '../../identity/facts/open.ts';
import type { EntityFacts } from '../../identity/facts/read.ts';
import type { TokenRow } from '../../token/find/store.ts';

/** Whose rights are asked for: a caller, or a token that somebody asks about. */
export type Holder = Pick<Caller, 'namespace' | 'policies' | 'entityId' | 'entityState'>;

/** All policies of a holder, those of its namespace first: of the token, of its entity and of its groups. */
export function grantsOfHolder(
  { namespace, policies }: Pick<Holder, 'namespace' | 'policies'>,
  facts: EntityFacts,
): Grants {
  const own = namesIn(facts.policies, namespace.id);
  const names = own.length === 0 ? policies : [...new Set([...policies, ...own])];
  return [{ namespace, names }, ...facts.policies.filter((one) => one.namespace.id !== namespace.id)];
}

/** A holder as a look-up of its token has found it. */
export const holderOfRow = (
  row: Pick<TokenRow, 'policies' | 'entity_id' | 'entity_state'>,
  namespace: Namespace,
): Holder => ({ namespace, policies: row.policies, ...entityOfRow(row) });

/** The entity of a token, with the state in which the look-up has found it. */
export const entityOfRow = (row: Pick<TokenRow, 'entity_id' | 'entity_state'>): FactsHolder => ({
  entityId: row.entity_id,
  ...(row.entity_state === null ? {} : { entityState: row.entity_state }),
});
