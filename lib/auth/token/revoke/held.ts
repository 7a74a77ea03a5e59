import { type RawBuilder, sql, type Transaction } from 'kysely';
import { rootNamespace } from '#core/namespace.ts';
import { bytea, int, nullable, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Database } from '#store/tables.ts';

/** The tokens to delete: those marked as revoked, or also those that have expired or are used up. */
export type Ending = 'revoked' | 'ended';

/** Tokens that one transaction locks: of one kind in one namespace, and in total. */
const shareMax = 1_000;
const heldMax = 3_000;
/** Namespaces that one transaction visits. */
const namespacesMax = 256;

export interface Held {
  readonly hashes: readonly Buffer[];
  /** The next step continues after this namespace; empty to start over. */
  readonly after: string;
}

/**
 * Locks the next tokens to delete, in each namespace those that ended first. Namespaces take turns in the order of their ids, each with
 * its share of a step. Rows that others have locked are skipped, so several processes share the work.
 */
export async function holdEnding(tx: Transaction<Database>, ending: Ending, after: string): Promise<Held> {
  const kinds = ending === 'revoked' ? [marked] : [marked, expired, spent];
  const { rows } = await rowsOf(heldRowColumns)`
    with visited as materialized (
      select id from (select ${rootNamespace.id}::text collate "C" as id union select id from namespaces) as every
       where id > ${after}::text order by id limit ${namespacesMax}::int
    ),
    held as materialized (
      select n.id as namespace_id, t.hash
        from visited n cross join lateral (${sql.join(kinds.map(shareOf), sql` union all `)}) as t limit ${heldMax}::int
    )
    select v.visited, v.last, v.reached, held.hash
      from (select count(*)::int as visited, max(id) as last, (select max(namespace_id) from held) as reached from visited) as v
      left join held on true`.execute(tx);
  const [first] = rows;
  const hashes = rows.flatMap(({ hash }) => (hash === null ? [] : [hash]));
  if (first === undefined) return { hashes, after: '' };
  if (hashes.length === heldMax) return { hashes, after: first.reached ?? '' };
  return { hashes, after: first.visited < namespacesMax ? '' : (first.last ?? '') };
}

const heldRowColumns = {
  visited: int,
  last: nullable(text),
  /** The last namespace with locked tokens. */
  reached: nullable(text),
  hash: nullable(bytea),
};

interface Kind {
  readonly where: RawBuilder<unknown>;
  readonly order: RawBuilder<unknown>;
}

const marked: Kind = { where: sql`revoked_at is not null`, order: sql`revoked_at` };
const expired: Kind = { where: sql`expire_at <= now() and revoked_at is null`, order: sql`expire_at` };
const spent: Kind = {
  where: sql`num_uses < 0 and in_use_until <= now() and revoked_at is null and (expire_at is null or expire_at > now())`,
  order: sql`in_use_until`,
};

const shareOf = ({ where, order }: Kind): RawBuilder<unknown> => sql`

  select * from (
    select hash from tokens where namespace_id = n.id and ${where} order by ${order} limit ${shareMax}::int
       for update skip locked) as share`;
