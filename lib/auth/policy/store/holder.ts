import type { Caller } from '../../../path/row.ts';
import type { EntityFacts } from '../../identity/facts/read.ts';

/** Whose rights are asked for: a caller, or a token that somebody asks about. */
export type Holder = Pick<Caller, 'policies' | 'entityId' | 'entityState'>;

/** The names of all policies of a holder: those of the token, of its entity and of its groups. */
export const policyNamesOf = ({ policies }: Pick<Holder, 'policies'>, facts: EntityFacts): readonly string[] =>
  facts.policies.length === 0 ? policies : [...new Set([...policies, ...facts.policies])];

/** A holder as a look-up of its token has found it. */
export const holderOfRow = (row: {
  readonly policies: readonly string[];
  readonly entity_id: string;
  readonly entity_state: string | null;
}): Holder => ({
  policies: row.policies,
  entityId: row.entity_id,
  ...(row.entity_state === null ? {} : { entityState: row.entity_state }),
});
