import { sql } from 'kysely';
import type { Secret } from '../../core/secret.ts';
import type { Barrier, Store } from '../../store/store.ts';

/** A valid token as the store has it. */
export interface TokenRow {
  readonly hash: Buffer;
  readonly accessor: string;
  readonly policies: readonly string[];
  readonly meta: Readonly<Record<string, string>> | null;
  readonly display_name: string;
  readonly path: string;
  readonly type: string;
  readonly num_uses: number;
  readonly period: number;
  readonly explicit_max_ttl: number;
  readonly creation_ttl: number;
  readonly creation_time: Date;
  readonly expire_at: Date | null;
  readonly renewable: boolean;
  readonly orphan: boolean;
  readonly entity_id: string;
  /** Revision of the mount table at this moment, so that a process notices that its copy is old. */
  readonly mounts_revision: number;
  /** The same of the policies. */
  readonly policies_revision: number;
}

/** Tokens are stored as keyed hashes: who reads the database cannot use them. */
export const hashToken = (barrier: Barrier, token: Secret): Buffer => barrier.mac('token', token.reveal());

/**
 * Looks up many tokens in one round trip; in the order of the hashes, undefined for what is unknown, expired or used up.
 * With `usesMin` -1 also those whose last use may be in flight.
 */
export async function findTokens(
  store: Store,
  hashes: readonly Buffer[],
  usesMin = 0,
): Promise<readonly (TokenRow | undefined)[]> {
  const { rows } = await sql<TokenRow>`
    select t.hash, t.accessor, t.policies, t.meta, t.display_name, t.path, t.type, t.num_uses, t.period, t.explicit_max_ttl,
           t.creation_ttl, t.creation_time, t.expire_at, t.renewable, t.orphan, t.entity_id,
           (select revision::int from revisions where name = 'mounts') as mounts_revision,
           (select revision::int from revisions where name = 'policies') as policies_revision
      from tokens t
     where t.hash = any(${hashes}::bytea[]) and (t.expire_at is null or t.expire_at > now())
       and t.num_uses >= ${usesMin}`.execute(store.db);
  const found = new Map(rows.map((row) => [row.hash.toString('hex'), row]));
  return hashes.map((hash) => found.get(hash.toString('hex')));
}

/**
 * Counts one use of a token that has a limit. The last use leaves -1 behind: this request runs, no other does, and the sweep
 * revokes the token with its tree.
 * @returns false when it was used up already
 */
export async function countUse(store: Store, hash: Buffer): Promise<boolean> {
  const { rows } = await sql`
    update tokens set num_uses = case when num_uses = 1 then -1 else num_uses - 1 end
     where hash = ${hash} and num_uses > 0 returning 1`.execute(store.db);
  return rows.length > 0;
}

/** Revokes a token with all its descendants. A token that is not there is a success. */
export async function revokeTree(store: Store, hash: Buffer): Promise<void> {
  await sql`
    with recursive tree as (
      select hash from tokens where hash = ${hash}
      union
      select t.hash from tokens t join tree on t.parent = tree.hash
    )
    delete from tokens using tree where tokens.hash = tree.hash`.execute(store.db);
}

/** Deletes tokens that have expired or are used up, with their descendants; so many roots of such trees at a time. */
export async function dropExpired(store: Store, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with recursive old as (
      (select hash from tokens where expire_at <= now() or num_uses < 0 limit ${limit})
      union
      select t.hash from tokens t join old on t.parent = old.hash
    ),
    gone as (delete from tokens using old where tokens.hash = old.hash returning 1)
    select count(*)::int as count from gone`.execute(store.db);
  return rows[0]?.count ?? 0;
}
