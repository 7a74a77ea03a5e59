import type { Caller } from '../../../path/row.ts';
import type { Subject } from '../template.ts';

/** Whose rights are asked for: a caller, or a token that somebody asks about. */
export type Holder = Pick<Caller, 'namespace' | 'policies' | 'entityId'>;

/** The names of all policies of a holder: those of the token. Policies of an entity and of groups are added here. */
export const policyNamesOf = ({ policies }: Holder): readonly string[] => policies;

/** What the templates of a holder's policies may name. */
export const subjectOf = (_holder: Holder): Subject => ({ groups: [] });
