import { type RawBuilder, sql } from 'kysely';
import { int, text, uuid } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { recordSource } from '../records/source.ts';
import { type BatchAction, countedMax } from './batch.ts';
import { filterOf, isOfSelection, isOld, isSelected, type Selection } from './walk.ts';

/** How many associations of a destination have a status. */
export interface PreviewCount {
  readonly type: string;
  readonly name: string;
  readonly status: string;
  readonly count: number;
}

export interface Preview {
  /** Up to `countedMax`. */
  readonly total: number;
  /** False when more match than were counted. */
  readonly exact: boolean;
  readonly counts: readonly PreviewCount[];
}

/** Destinations times statuses that a preview shows. */
const countsMax = 1_000;

/** What a batch would change now. Changes nothing. */
export async function previewBatch(
  { db }: Pick<Store, 'db'>,
  action: BatchAction,
  selection: Selection,
): Promise<Preview> {
  const { rows } = await rowsOf({ type: text, name: text, status: text, count: int })`
    with found as materialized (
      select d.type, d.name, a.status from ${selected({ ...selection, filter: filterOf(action, selection.filter) }, countedMax + 1)}
       limit ${countedMax + 1}::int
    )
    select type, name, status, count(*)::int as count from found group by type, name, status order by type, name, status`.execute(
    db,
  );
  const total = rows.reduce((sum, { count }) => sum + count, 0);
  return { total: Math.min(total, countedMax), exact: total <= countedMax, counts: rows.slice(0, countsMax) };
}

/** An association as the check of rights needs it. */
export interface Matching {
  readonly id: string;
  readonly destinationId: string;
  readonly mountId: string;
  readonly mountPath: string;
  readonly secretName: string;
}

const matchingMax = 5_000;

const matchingColumns = { id: text, destination_id: text, mount_id: uuid, mount_path: text, secret_name: text };

/** The next matching associations after `after`, by destination, mount and secret. */
export async function matchingAfter(
  { db }: Pick<Store, 'db'>,
  selection: Selection,
  after: Matching | undefined,
): Promise<readonly Matching[]> {
  const { rows } = await rowsOf(matchingColumns)`
    with page as materialized (
      select a.id, d.id as destination_id, a.mount_id, a.mount_path, a.secret_name
        from ${selected(selection, matchingMax, after)} limit ${matchingMax}::int
    )
    select id::text as id, destination_id::text as destination_id, mount_id, mount_path, secret_name from page
     order by page.destination_id, page.mount_id, page.secret_name`.execute(db);
  return rows.map((row) => ({
    id: row.id,
    destinationId: row.destination_id,
    mountId: row.mount_id,
    mountPath: row.mount_path,
    secretName: row.secret_name,
  }));
}

const beginning = { destinationId: '0', mountId: '00000000-0000-0000-0000-000000000000', secretName: '' };

/**
 * The first `most` selected associations `a` after a place, or more, with their destinations `d`. They are looked for at each destination, in
 * the order of destinations, so that those of other namespaces are not read. Ids and names of secrets are few, and have indexes of their own.
 */
function selected(selection: Selection, most: number, after: Place = beginning): RawBuilder<unknown> {
  const { filter, secrets } = selection;
  if (filter.ids !== undefined || secrets !== undefined)
    return sql`
      (select a.* from associations a join destinations d on d.id = a.destination_id
        where ${isSelected(selection)}
          and (a.destination_id, a.mount_id, a.secret_name) > (${after.destinationId}::bigint, ${after.mountId}::uuid, ${after.secretName})
        order by a.destination_id, a.mount_id, a.secret_name limit ${most}::int) a
       join destinations d on d.id = a.destination_id`;
  const isAt = sql`d.id = ${after.destinationId}::bigint`;
  return sql`
    (select d.id, d.type, d.name, case when ${isAt} then ${after.mountId}::uuid else ${beginning.mountId}::uuid end as after_mount,
            case when ${isAt} then ${after.secretName}::text else '' end as after_secret
       from destinations d
      where ${isOfSelection(selection)} and d.id >= ${after.destinationId}::bigint order by d.id offset 0) d
     cross join lateral (${recordSource(filter, most, isOld(selection))}) a`;
}

type Place = Pick<Matching, 'destinationId' | 'mountId' | 'secretName'>;
