import type { QueryExecutorProvider } from 'kysely';
import { type Dirty, dirtyColumns } from '#store/outbox.ts';
import { objectOf } from '#store/sql/columns.ts';
import { int, nullable, text, uuid } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import { isRemnant } from '../../model/status.ts';

/** Associations per statement. */
export const pageSize = 1_000;

/** A position among the associations of a destination, in the order of their index. */
export interface Cursor {
  readonly mount: string;
  readonly secret: string;
}

export interface PurgePage {
  readonly dirty: readonly Dirty[];
  readonly looked: number;
  /** Some associations were locked by other transactions: this page has to be repeated. */
  readonly skipped: boolean;
  /** The last association of this page; undefined when it was the last page. */
  readonly last: Cursor | undefined;
}

/** Sorts before every association. */
export const beginning: Cursor = { mount: '00000000-0000-0000-0000-000000000000', secret: '' };

/**
 * Marks the next associations of a destination under purge for removal. Associations that an earlier purge marked but could not
 * remove are marked again; those that this purge has already marked are not, so a page may run twice. Nothing happens after the
 * purge was abandoned, and remnants that wait for their rechecks are left alone. It skips locked associations, because their
 * worker may be waiting for the destination, which is locked here.
 */
export async function purgePage(db: QueryExecutorProvider, destinationId: string, after: Cursor): Promise<PurgePage> {
  const { rows } = await statement(destinationId, after).execute(db);
  const dirty = rows.flatMap(({ marked }) => (marked === null ? [] : [marked]));
  const [{ looked, open, last } = { looked: 0, open: 0, last: null }] = rows;
  return { dirty, looked, skipped: dirty.length < open, last: looked < pageSize ? undefined : (last ?? undefined) };
}

const pageColumns = {
  looked: int,
  open: int,
  last: nullable(objectOf({ mount: uuid, secret: text })),
  marked: nullable(objectOf(dirtyColumns)),
};

const statement = (destinationId: string, after: Cursor) => rowsOf(pageColumns)`
  with purge as (
    select purge_initiated_at as began from destinations
     where id = ${destinationId}::bigint and purge_initiated_at is not null for share
  ),
  page as materialized (
    select id, mount_id, secret_name from associations
     where destination_id = ${destinationId}::bigint and (mount_id, secret_name) > (${after.mount}::uuid, ${after.secret}::text)
     order by destination_id, mount_id, secret_name limit ${pageSize}::int
  ),
  unmarked as (
    select a.id from associations a cross join purge
     where a.id = any(array(select id from page))
       and not ${isRemnant('a')}
       and (a.desired = 'present' or a.generation = a.observed_generation and a.updated_at < purge.began)
  ),
  wanted as (
    select a.id from associations a where a.id = any(array(select id from unmarked)) for no key update of a skip locked
  ),
  marked as (
    update associations
       set desired = 'absent', generation = generation + 1, attempts = 0, status = 'PENDING', updated_at = now(),
           dirty_since = coalesce(dirty_since, now())
     where id = any(array(select id from wanted))
    returning id::text as id, type, destination_id::text as destination_id, generation::int as generation,
              next_attempt_at is not null as waiting
  ),
  seen as (
    select (select count(*)::int from page) as looked, (select count(*)::int from unmarked) as open,
           (select jsonb_build_object('mount', mount_id, 'secret', secret_name) from page
             order by mount_id desc, secret_name desc limit 1) as last
  )
  select seen.looked, seen.open, seen.last, to_jsonb(marked) as marked from seen left join marked on true`;
