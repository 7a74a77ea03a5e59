import { type RawBuilder, sql } from 'kysely';
import { rootNamespace } from '#core/namespace.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { int, text, uuid } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { isRemnant } from '../../model/status.ts';
import { mountsOfDestination } from '../../records/source.ts';
import { shownMax } from '../fields/pages.ts';
import type { SecretPosition } from './store.ts';

export type ListedSecret = RowOf<typeof listedSecretColumns>;

const listedSecretColumns = {
  mount_id: uuid,
  mount_path: text,
  secret_name: text,
  /** The number of its associations. */
  count: int,
};

/** Secrets of a namespace that have associations, at most one more than a reply shows. */
export async function listSecrets(
  { db }: Pick<Store, 'db'>,
  namespaceId: string,
  { after, size = shownMax }: { readonly after?: SecretPosition | undefined; readonly size?: number } = {},
): Promise<readonly ListedSecret[]> {
  const isRoot = namespaceId === rootNamespace.id;
  if (size < shownMax && (!isRoot || (await hasFewStreams(db, namespaceId))))
    return (await partOfStreams(namespaceId, size, after).execute(db)).rows;
  const { rows } = await rowsOf(listedSecretColumns)`
    select ${listed} from ${sourceOf(namespaceId, size)}
     where not ${isRemnant('a')} and ${isAfter(after)}
     group by a.secret_name, a.mount_id order by a.secret_name, a.mount_id
     limit ${size + 1}::int`.execute(db);
  return rows;
}

const listed = sql`a.mount_id, min(a.mount_path) as mount_path, a.secret_name, count(*)::int as count`;

const isAfter = (after: SecretPosition | undefined): RawBuilder<unknown> =>
  after === undefined ? sql`true` : sql`(a.secret_name, a.mount_id) > (${after.secretName}, ${after.mountId}::uuid)`;

function sourceOf(namespaceId: string, size: number): RawBuilder<unknown> {
  if (namespaceId !== rootNamespace.id) return wholeNamespace(namespaceId);
  return size < shownMax ? partOfRoot : wholeRoot;
}

/** Most associations are in the root namespace, where an index has them in the order of the list. */
const wholeRoot = sql`associations a join destinations d on d.id = a.destination_id and d.namespace_id = ${sql.lit(rootNamespace.id)}`;

/** The offset keeps the planner from joining, after which it would have to read and sort all that follows the page. */
const partOfRoot = sql`
  (select * from associations one
    where exists (select 1 from destinations d
                   where d.id = one.destination_id and d.namespace_id = ${sql.lit(rootNamespace.id)} offset 0)) a`;

/** Forces the planner to start from the destinations: in the order of the list it would read the associations of all namespaces. */
const wholeNamespace = (id: string): RawBuilder<unknown> => sql`
  (select id from destinations where namespace_id = ${id} offset 0) d
    cross join lateral (select * from associations where destination_id = d.id offset 0) a`;

/** The secrets of a mount at a destination are in the order of the list, along the unique index of destination, mount and secret. */
const streamsOf = (id: string): RawBuilder<unknown> => sql`
  select d.id, m.mount_id from (select id from destinations where namespace_id = ${id} offset 0) d
   cross join lateral (${mountsOfDestination}) m`;

/** With more of these, the root is read along the index of all secrets, whose cost depends on the other namespaces. */
const streamsMax = 500;

async function hasFewStreams(db: Store['db'], namespaceId: string): Promise<boolean> {
  const { rows } = await rowsOf({ count: int })`
    select count(*)::int as count from (select 1 from (${streamsOf(namespaceId)}) s limit ${streamsMax + 1}::int) one`.execute(
    db,
  );
  return (rows[0]?.count ?? 0) <= streamsMax;
}

/**
 * A page in two steps. A few secrets of each stream show how far the page goes at most: when they are together more than a page has, it ends
 * no later than these. Then each stream is read up to there, with all associations of the secrets of the page.
 */
function partOfStreams(id: string, size: number, after: SecretPosition | undefined) {
  const first = (columns: RawBuilder<unknown>, more: RawBuilder<unknown>, most: RawBuilder<unknown>) => sql`
    select ${columns} from associations a
     where a.destination_id = s.id and a.mount_id = s.mount_id and not ${isRemnant('a')} and ${more}
       and ${after === undefined ? sql`true` : sql`a.secret_name >= ${after.secretName}`} and ${isAfter(after)}
     order by a.secret_name limit ${most}`;
  const page = sql`${size + 1}::int`;
  const columns = sql`a.mount_id, a.mount_path, a.secret_name`;
  return rowsOf(listedSecretColumns)`
    with streams as materialized (${streamsOf(id)}),
    few as (
      select distinct a.secret_name, a.mount_id from streams s
       cross join lateral (${first(columns, sql`true`, sql`(select 2 + 2 * ${page} / greatest(count(*), 1) from streams)`)}) a
    ),
    last as materialized (select secret_name from few order by secret_name, mount_id offset ${size}::int limit 1)
    select ${listed} from (
      select a.* from last cross join streams s
       cross join lateral (${first(columns, sql`a.secret_name <= last.secret_name`, page)}) a
       union all
      select a.* from streams s cross join lateral (${first(columns, sql`true`, page)}) a where not exists (select from last)
    ) a
     group by a.secret_name, a.mount_id order by a.secret_name, a.mount_id limit ${page}`;
}
