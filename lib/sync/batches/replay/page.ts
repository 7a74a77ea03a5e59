import { type RawBuilder, sql } from 'kysely';
import { type AppError, badField } from '#core/errors.ts';
import type { DestinationDefinition } from '#destinations/contract.ts';
import { type Dirty, dirtyColumns, markDirty } from '#store/outbox.ts';
import { objectOf } from '#store/sql/columns.ts';
import { bigintText, int, nullable, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { errorStatuses, isRemnant } from '../../model/status.ts';
import type { ReplayFilter } from './filter.ts';

/** Associations per statement. */
export const pageSize = 1_000;

export interface Page {
  readonly dirty: readonly Dirty[];
  /** The id of the last association of this page; undefined when it was the last page. */
  readonly last: string | undefined;
}

/**
 * Ids of the destinations that the filter names; undefined when the filter has no name.
 * @throws AppError `bad-request` when no destination has the name
 */
export async function destinationsNamed(
  store: Store,
  definitions: readonly DestinationDefinition[],
  { namespaceId, type, name }: ReplayFilter,
): Promise<readonly string[] | undefined> {
  if (name === undefined) return undefined;
  const types = type === undefined ? definitions.map((definition) => definition.type) : [type];
  const { rows } = await rowsOf({ id: text })`
    select id::text as id from destinations where type = any(${types}::text[]) and name = ${name}
       and (${namespaceId ?? null}::text is null or namespace_id = ${namespaceId ?? null})`.execute(store.db);
  if (rows.length === 0) throw noneNamed(name, type);
  return rows.map(({ id }) => id);
}

/** The error for a name that no destination has. It leaves the type out, because its name depends on the vocabulary. */
export function noneNamed(name: string, type: string | undefined): AppError {
  const searched = type === undefined ? 'no destination' : 'no destination of this type';
  return badField(
    'name',
    `name: ${searched} is called ${JSON.stringify(name)}: LIST sys/sync/destinations returns the names`,
  );
}

/** Looks at the next associations after `after` and marks those that match the filter dirty. */
export async function replayPage(
  store: Store,
  filter: ReplayFilter,
  destinations: readonly string[] | undefined,
  after: string,
): Promise<Page> {
  const rows = await store.transaction(async (tx) => (await statement(filter, destinations, after).execute(tx)).rows);
  const dirty = rows.flatMap(({ marked }) => (marked === null ? [] : [marked]));
  const [{ looked, last } = { looked: 0, last: null }] = rows;
  return { dirty, last: looked < pageSize ? undefined : (last ?? undefined) };
}

const pageColumns = { looked: int, last: nullable(bigintText), marked: nullable(objectOf(dirtyColumns)) };

/**
 * Takes a page along an index first, whatever the filter then selects from it, so that the cost of a statement is bounded even
 * if few associations match. The matching ones are locked in the order of their ids, as everywhere, to avoid deadlocks.
 */
function statement(filter: ReplayFilter, destinations: readonly string[] | undefined, after: string) {
  const statuses = filter.syncStatus === undefined ? errorStatuses : [filter.syncStatus];
  const type = filter.type ?? null;
  const namespaceId = filter.namespaceId ?? null;
  return rowsOf(pageColumns)`
    with page as materialized (
      select id from associations where ${along(filter)} and id > ${after}::bigint order by id limit ${pageSize}::int
    ),
    wanted as (
      select a.id from associations a
       where a.id = any(array(select id from page)) and a.status = any(${statuses}::text[]) and not ${isRemnant('a')}
         and (${type}::text is null or a.type = ${type})
         and (${namespaceId}::text is null or exists (
           select 1 from destinations d where d.id = a.destination_id and d.namespace_id = ${namespaceId}))
         and (${destinations ?? null}::bigint[] is null or a.destination_id = any(${destinations ?? null}::bigint[]))
       order by a.id for no key update of a
    ),
    marked as (${markDirty(sql`id = any(array(select id from wanted))`, 'verify')})
    select page.looked, page.last, to_jsonb(marked) as marked
      from (select count(*)::int as looked, max(id)::text as last from page) as page left join marked on true`;
}

/**
 * Selects the index with the fewest other associations: the one of failed associations, the one of dirty associations (which
 * include all that are PENDING), or the primary key. The conditions are literals because PostgreSQL needs them for planning.
 */
function along({ syncStatus }: ReplayFilter): RawBuilder<unknown> {
  if (syncStatus === 'PENDING') return sql`generation > observed_generation`;
  if (syncStatus === undefined || errorStatuses.some((status) => status === syncStatus)) return failed;
  return sql`true`;
}

const failed = sql`status in (${sql.join(errorStatuses.map((status) => sql.lit(status)))})`;
