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
  const { rows } = await rowsOf(listedSecretColumns)`
    select a.mount_id, min(a.mount_path) as mount_path, a.secret_name, count(*)::int as count
      from ${sourceOf(namespaceId, size, after)}
     where not ${isRemnant('a')} and ${after === undefined ? sql`true` : isAfter(after)}
     group by a.secret_name, a.mount_id order by a.secret_name, a.mount_id
     limit ${size + 1}::int`.execute(db);
  return rows;
}

const isAfter = ({ mountId, secretName }: SecretPosition) =>
  sql`(a.secret_name, a.mount_id) > (${secretName}, ${mountId}::uuid)`;

function sourceOf(namespaceId: string, size: number, after: SecretPosition | undefined): RawBuilder<unknown> {
  const isPart = size < shownMax;
  if (namespaceId === rootNamespace.id) return isPart ? partOfRoot : wholeRoot;
  return isPart ? partOfNamespace(namespaceId, size, after) : wholeNamespace(namespaceId);
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

/**
 * The first secrets of each mount at each destination, along the unique index of destination, mount and secret. All secrets of the page
 * are among them, each with all its associations.
 */
const partOfNamespace = (id: string, size: number, after: SecretPosition | undefined): RawBuilder<unknown> => sql`
  (select id from destinations where namespace_id = ${id} offset 0) d
    cross join lateral (${mountsOfDestination}) m
    cross join lateral (
      select * from associations a
       where a.destination_id = d.id and a.mount_id = m.mount_id and not ${isRemnant('a')}
         and ${after === undefined ? sql`true` : sql`a.secret_name >= ${after.secretName} and ${isAfter(after)}`}
       order by a.secret_name limit ${size + 1}::int) a`;
