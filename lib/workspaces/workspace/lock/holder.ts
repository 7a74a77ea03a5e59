import type { ApiCaller } from '../../../path/jsonapi/row.ts';
import type { WorkspaceRow } from '../../access/workspace.ts';

/** Who has a workspace locked. */
export interface Holder {
  readonly kind: 'users' | 'teams' | 'runs';
  readonly id: string;
}

/**
 * As what a caller locks: all tokens of one user are one holder, and so are those of one team. An organization's token counts as a
 * user of the organization's id, because clients know users, teams and runs alone.
 */
export const holderOf = ({ kind, id }: ApiCaller): Holder => ({ kind: kind === 'team' ? 'teams' : 'users', id });

/** Undefined: it is not locked. */
export const holderIn = ({ lock_kind, lock_holder }: WorkspaceRow): Holder | undefined =>
  lock_kind === null || lock_holder === null ? undefined : { kind: lock_kind, id: lock_holder };

/** `User user-…`, in the words in which clients look for it (reference, workspaces 1.5). */
export const nameOf = ({ kind, id }: Holder): string => `${words[kind]} ${id}`;

const words = { users: 'User', teams: 'Team', runs: 'Run' } as const satisfies Record<Holder['kind'], string>;
