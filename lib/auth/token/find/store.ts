import { type RawBuilder, sql } from 'kysely';
import type { Secret } from '../../../core/secret.ts';
import type { TokenRow } from '../../../path/contract/token-row.ts';
import type { Barrier, Store } from '../../../store/store.ts';
import { entityColumns, entityJoin } from '../../identity/state.ts';

export type { TokenRow };

/** What a look-up says of the store beside the token. */
export type Revisions = Pick<TokenRow, 'mounts_revision' | 'policies_revision' | 'seen_at'>;

/** Tokens are stored as keyed hashes: who reads the database cannot use them. */
export const hashToken = (barrier: Barrier, token: Secret): Buffer => barrier.mac('token', token.reveal());

const revisionsNow = sql`
  (select revision::int from revisions where name = 'mounts') as mounts_revision,
  (select revision::int from revisions where name = 'policies') as policies_revision,
  now() as seen_at`;

const columns = sql`t.hash, t.namespace_id, t.accessor, t.policies, t.meta, t.display_name, t.path, t.type, t.num_uses, t.period,
  t.explicit_max_ttl, t.creation_ttl, t.creation_time, t.expire_at, t.last_renewal_at, t.renewable, t.orphan,
  t.role, t.bound_cidrs`;

/**
 * A token below one that is being revoked or has expired is refused from the first moment, before the revocation has come to
 * its row. Most tokens have no parent, or one without a parent: only for the others the tree is climbed.
 */
const belowEnded = sql`t.parent is not null and exists (
  select 1 from tokens p where p.hash = t.parent and (${ended('p')} or p.parent is not null and exists (
    with recursive up as (
      select g.parent, ${ended('g')} as ended from tokens g where g.hash = p.parent
      union all
      select g.parent, ${ended('g')} from tokens g join up on g.hash = up.parent where not up.ended
    )
    select 1 from up where ended)))`;

const valid = (usesMin: number) => sql`(t.expire_at is null or t.expire_at > now()) and t.num_uses >= ${usesMin}
  and t.revoked_at is null and not (${belowEnded})`;

/**
 * Looks up many tokens in one round trip; in the order of the hashes, undefined for what is unknown, expired, revoked or used
 * up. With `usesMin` -1 also those whose last use may be in flight.
 */
export async function findTokens(
  store: Pick<Store, 'db'>,
  hashes: readonly Buffer[],
  usesMin = 0,
): Promise<readonly (TokenRow | undefined)[]> {
  // Behind a select the planner does not see how many there are, so it keeps its plan; making one takes longer than all else.
  const rows = await tokensWhere(store, sql`t.hash = any((select ${hashes}::bytea[])::bytea[])`, usesMin);
  const found = new Map(rows.map((row) => [row.hash.toString('hex'), row]));
  return hashes.map((hash) => found.get(hash.toString('hex')));
}

/** The valid token of an accessor. */
export async function findByAccessor(store: Pick<Store, 'db'>, accessor: string): Promise<TokenRow | undefined> {
  const [row] = await tokensWhere(store, sql`t.accessor = ${accessor}`, 0);
  return row;
}

async function tokensWhere(
  { db }: Pick<Store, 'db'>,
  condition: RawBuilder<unknown>,
  usesMin: number,
): Promise<readonly TokenRow[]> {
  const { rows } = await sql<TokenRow>`
    select ${columns}, ${entityColumns(sql`t.entity_id`)}, ${revisionsNow}
      from tokens t ${entityJoin(sql`t.entity_id`)} where ${condition} and ${valid(usesMin)}`.execute(db);
  return rows;
}

/** What a look-up says beside the token, where there is no row to look up. */
export async function readRevisions({ db }: Pick<Store, 'db'>): Promise<Revisions> {
  const { rows } = await sql<Revisions>`select ${revisionsNow}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('a select without a table answers one row');
  return row;
}

/** The time by the clock of the store, which everything that ends is compared with. */
export async function readTime({ db }: Pick<Store, 'db'>): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`select clock_timestamp() as at`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('a select without a table answers one row');
  return row.at;
}

/**
 * Counts one use of a token that has a limit. The last use leaves -1 behind: this request runs, no other does, and the sweep
 * revokes the token with its tree, but not while the request may still need it. How long that is says the process that runs it.
 *
 * @returns what is left, -1 for the last use; undefined when it was used up already
 */
export async function countUse(store: Store, hash: Buffer, requestMsMax: number): Promise<number | undefined> {
  const { rows } = await sql<{ num_uses: number }>`
    update tokens set num_uses = case when num_uses = 1 then -1 else num_uses - 1 end,
           in_use_until = case when num_uses = 1 then now() + make_interval(secs => ${lastUseSeconds(requestMsMax)}::float8)
                               else in_use_until end
     where hash = ${hash} and num_uses > 0 returning num_uses`.execute(store.db);
  return rows[0]?.num_uses;
}

/** The head of a request, its body, its answer and what follows that have the limit of a request each. */
const lastUseSeconds = (requestMsMax: number): number => (4 * requestMsMax) / 1_000;

function ended(alias: string): RawBuilder<unknown> {
  const row = sql.raw(alias);
  return sql`(${row}.revoked_at is not null or coalesce(${row}.expire_at <= now(), false))`;
}
