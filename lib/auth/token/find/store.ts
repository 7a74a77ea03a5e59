import { type RawBuilder, sql } from 'kysely';
import type { Secret } from '#core/secret.ts';
import type { TokenRow } from '#path/contract/request.ts';
import { pick, type RowOf } from '#store/sql/columns.ts';
import { int, timestamptz } from '#store/sql/kinds.ts';
import { type From, prepared } from '#store/sql/prepared.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Barrier, Store } from '#store/store.ts';
import { tokensTable } from '#store/tables/tokens.ts';
import { entityColumns, entityJoin, entityStateColumns } from './entity-state.ts';

export type { TokenRow };

/** Revisions and time of the store, which every look-up reads with the token. */
export type Revisions = RowOf<typeof revisionColumns>;

const revisionColumns = { mounts_revision: int, policies_revision: int, seen_at: timestamptz };

/** Tokens are stored as keyed hashes, so a reader of the database cannot use them. */
export const hashToken = (barrier: Barrier, token: Secret): Buffer => barrier.mac('token', token.reveal());

const revisionsNow = sql`
  (select revision::int from revisions where name = 'mounts') as mounts_revision,
  (select revision::int from revisions where name = 'policies') as policies_revision,
  now() as seen_at`;

const ownColumns = {
  ...pick(
    tokensTable,
    'hash',
    'namespace_id',
    'accessor',
    'policies',
    'meta',
    'display_name',
    'path',
    'type',
    'num_uses',
  ),
  ...pick(tokensTable, 'period', 'explicit_max_ttl', 'creation_ttl', 'creation_time', 'expire_at', 'last_renewal_at'),
  ...pick(tokensTable, 'renewable', 'orphan', 'role', 'bound_cidrs'),
};

const columns = sql.raw(
  Object.keys(ownColumns)
    .map((name) => `t.${name}`)
    .join(', '),
);

const tokenColumns = { ...ownColumns, ...entityStateColumns, ...revisionColumns };

/**
 * A token below one that is being revoked or has expired is refused at once, before the revocation reaches its row. Most tokens have
 * no parent, or one without a parent; only for the others the recursive query runs.
 */
const belowEnded = sql`t.parent is not null and exists (
  select 1 from tokens p where p.hash = t.parent and (${ended('p')} or p.parent is not null and exists (
    with recursive up as (
      select g.parent, ${ended('g')} as ended from tokens g where g.hash = p.parent
      union all
      select g.parent, ${ended('g')} from tokens g join up on g.hash = up.parent where not up.ended
    )
    select 1 from up where ended)))`;

const valid = (usesMin: unknown) => sql`(t.expire_at is null or t.expire_at > now()) and t.num_uses >= ${usesMin}
  and t.revoked_at is null and not (${belowEnded})`;

/**
 * Looks up many tokens in one round trip, in the order of the hashes: undefined for a token that is unknown, expired, revoked or used
 * up. With `usesMin` -1 tokens whose last use may be under way are found as well.
 */
export async function findTokens(
  store: Pick<Store, 'db'>,
  hashes: readonly Buffer[],
  usesMin = 0,
): Promise<readonly (TokenRow | undefined)[]> {
  const rows = await byHashes(store.db, { hashes, usesMin });
  const found = new Map(rows.map((row) => [row.hash.toString('hex'), row]));
  return hashes.map((hash) => found.get(hash.toString('hex')));
}

/** The valid token with an accessor. */
export async function findByAccessor(store: Pick<Store, 'db'>, accessor: string): Promise<TokenRow | undefined> {
  const [row] = await byAccessor(store.db, accessor);
  return row;
}

const tokensWhere = (condition: RawBuilder<unknown>, usesMin: unknown) => rowsOf(tokenColumns)`
  select ${columns}, ${entityColumns(sql`t.entity_id`)}, ${revisionsNow}
    from tokens t ${entityJoin(sql`t.entity_id`)} where ${condition} and ${valid(usesMin)}`;

/** The select hides the number of hashes from the planner, so it reuses its plan. Planning would take longer than the query. */
const byHashes = prepared(
  tokenColumns,
  (from: From<{ readonly hashes: readonly Buffer[]; readonly usesMin: number }>) =>
    tokensWhere(
      sql`t.hash = any((select ${from(({ hashes }) => hashes)}::bytea[])::bytea[])`,
      from(({ usesMin }) => usesMin),
    ),
);

const byAccessor = prepared(tokenColumns, (from: From<string>) =>
  tokensWhere(sql`t.accessor = ${from((accessor) => accessor)}`, 0),
);

/** Reads the revisions for a token without a row. */
export async function readRevisions({ db }: Pick<Store, 'db'>): Promise<Revisions> {
  const { rows } = await rowsOf(revisionColumns)`select ${revisionsNow}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('a select without a table returned no row');
  return row;
}

/** The time by the clock of the store, which decides what has expired. */
export async function readTime({ db }: Pick<Store, 'db'>): Promise<Date> {
  const { rows } = await rowsOf({ at: timestamptz })`select clock_timestamp() as at`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('a select without a table returned no row');
  return row.at;
}

/**
 * Counts one use of a token with limited uses. The last use leaves -1: only its request may still run, and the sweep revokes the token
 * with its tree once that request must have ended.
 *
 * @param requestMsMax the longest time that a request may run
 * @returns the remaining uses, -1 for the last use; undefined when the token was used up already
 */
export async function countUse(store: Store, hash: Buffer, requestMsMax: number): Promise<number | undefined> {
  const { rows } = await rowsOf({ num_uses: int })`
    update tokens set num_uses = case when num_uses = 1 then -1 else num_uses - 1 end,
           in_use_until = case when num_uses = 1 then now() + make_interval(secs => ${lastUseSeconds(requestMsMax)}::float8)
                               else in_use_until end
     where hash = ${hash} and num_uses > 0 returning num_uses`.execute(store.db);
  return rows[0]?.num_uses;
}

/** Head, body, reply and follow-up work of a request have the limit of a request each. */
const lastUseSeconds = (requestMsMax: number): number => (4 * requestMsMax) / 1_000;

function ended(alias: string): RawBuilder<unknown> {
  const row = sql.raw(alias);
  return sql`(${row}.revoked_at is not null or coalesce(${row}.expire_at <= now(), false))`;
}
