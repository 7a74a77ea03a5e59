import type { Namespace } from '../../../core/namespace.ts';
import type { Caller } from '../../../path/row.ts';
import type { FactsHolder } from '../../identity/facts/open.ts';
import type { EntityFacts } from '../../identity/facts/read.ts';
import type { TokenRow } from '../../token/find/store.ts';

/** Whose rights are asked for: a caller, or a token that somebody asks about. */
export type Holder = Pick<Caller, 'namespace' | 'policies' | 'entityId' | 'entityState'>;

/** The names of all policies of a holder: those of the token, of its entity and of its groups. */
export const policyNamesOf = ({ policies }: Pick<Holder, 'policies'>, facts: EntityFacts): readonly string[] =>
  facts.policies.length === 0 ? policies : [...new Set([...policies, ...facts.policies])];

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
