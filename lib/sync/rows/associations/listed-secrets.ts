import { type RawBuilder, sql } from 'kysely';
import { rootNamespace } from '#core/namespace.ts';
import { objectOf, type RowOf } from '#store/sql/columns.ts';
import { bool, int, nullable, text, uuid } from '#store/sql/kinds.ts';
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
  if (size < shownMax) {
    const walked = namespaceId === rootNamespace.id ? await walkedPage(db, size, after) : undefined;
    return walked ?? (await partOfStreams(namespaceId, size, after).execute(db)).rows;
  }
  const { rows } = await rowsOf(listedSecretColumns)`
    select ${listed} from ${namespaceId === rootNamespace.id ? wholeRoot : wholeNamespace(namespaceId)}
     where not ${isRemnant('a')} and ${isAfter(after)}
     group by a.secret_name, a.mount_id order by a.secret_name, a.mount_id
     limit ${size + 1}::int`.execute(db);
  return rows;
}

const listed = sql`a.mount_id, min(a.mount_path) as mount_path, a.secret_name, count(*)::int as count`;

const isAfter = (after: SecretPosition | undefined): RawBuilder<unknown> =>
  after === undefined ? sql`true` : sql`(a.secret_name, a.mount_id) > (${after.secretName}, ${after.mountId}::uuid)`;

/** Most associations are in the root namespace, where an index has them in the order of the list. */
const wholeRoot = sql`associations a join destinations d on d.id = a.destination_id and d.namespace_id = ${sql.lit(rootNamespace.id)}`;

/** Forces the planner to start from the destinations: in the order of the list it would read the associations of all namespaces. */
const wholeNamespace = (id: string): RawBuilder<unknown> => sql`
  (select id from destinations where namespace_id = ${id} offset 0) d
    cross join lateral (select * from associations where destination_id = d.id offset 0) a`;

/** The secrets of a mount at a destination are in the order of the list, along the unique index of destination, mount and secret. */
const streamsOf = (id: string): RawBuilder<unknown> => sql`
  select d.id, m.mount_id from (select id from destinations where namespace_id = ${id} offset 0) d
   cross join lateral (${mountsOfDestination}) m`;

/** With at most so many of these, they are read even where the index of all secrets would do. */
const fewStreams = 500;

/** How many associations of that index are looked at for a page. Those of other namespaces count too. */
const walkedMax = (size: number): number => 2_000 + 20 * size;

const walkedColumns = { whole: bool, secret: nullable(objectOf(listedSecretColumns)) };

/**
 * A page of the root along the index of all secrets, where most associations are its own. Undefined: there are few streams, or other
 * namespaces have so many secrets there that the page is not whole.
 */
async function walkedPage(
  db: Store['db'],
  size: number,
  after: SecretPosition | undefined,
): Promise<readonly ListedSecret[] | undefined> {
  // A literal: with a parameter the planner expects a tenth of the table, and may sort all of it.
  const most = sql.lit(walkedMax(size));
  const { rows } = await rowsOf(walkedColumns)`
    with few as materialized (
      select count(*) <= ${sql.lit(fewStreams)} as few
        from (select 1 from (${streamsOf(rootNamespace.id)}) s limit ${sql.lit(fewStreams + 1)}) one
    ),
    walked as materialized (
      select a.destination_id, a.mount_id, a.mount_path, a.secret_name, a.desired, a.status from associations a
       where (select not few from few) and ${isAfter(after)} order by a.secret_name, a.mount_id limit ${most}
    ),
    cut as materialized (select secret_name, mount_id from walked order by secret_name, mount_id offset ${most} - 1),
    page as materialized (
      select ${listed} from walked a
       where not ${isRemnant('a')} and not exists (select from cut where cut.secret_name = a.secret_name and cut.mount_id = a.mount_id)
         and exists (select from destinations d where d.id = a.destination_id and d.namespace_id = ${rootNamespace.id})
       group by a.secret_name, a.mount_id order by a.secret_name, a.mount_id limit ${size + 1}::int
    )
    select (select count(*) > ${size}::int from page) or not ((select few from few) or exists (select from cut)) as whole,
           to_jsonb(page) as secret
      from (values (1)) one left join page on true order by page.secret_name, page.mount_id`.execute(db);
  return rows[0]?.whole === true ? rows.flatMap(({ secret }) => secret ?? []) : undefined;
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
