import { type RawBuilder, sql } from 'kysely';
import type { ListedEntry, Page } from '#path/listing.ts';
import { pick } from '#store/sql/columns.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { entitiesTable } from '#store/tables/identity.ts';
import { type AliasRow, aliasesInJson, mountView } from '../alias/row.ts';
import { nameKey } from '../names.ts';
import type { Metadata, Mounts } from '../parts.ts';

/** Selects entities whose name starts with a prefix and whose metadata includes all of these entries. */
export interface EntityFilter {
  readonly prefix: string;
  readonly metadata: Metadata;
}

const listedColumns = { ...pick(entitiesTable, 'id', 'name'), aliases: aliasesInJson };

/** A page of entities in the order of their ids or names. Every filter has an index. */
export async function entityPage(
  { db }: Pick<Store, 'db'>,
  namespaceId: string,
  by: 'id' | 'name',
  { after, limit }: Page,
  filter: EntityFilter,
  mounts: Mounts,
): Promise<readonly ListedEntry[]> {
  const column = by === 'id' ? sql`e.id` : sql`e.name_key`;
  const { rows } = await rowsOf(listedColumns)`
    select e.id, e.name, coalesce((select json_agg(a order by a.created_at, a.id) from entity_aliases a
                                    where a.entity_id = e.id), '[]'::json) as aliases
      from entities e
     where e.namespace_id = ${namespaceId} and ${column} > ${by === 'id' ? after : nameKey(after)}
       and ${filtered(filter)}
     order by ${column} limit ${limit}`.execute(db);
  return rows.map(({ id, name, aliases }) => {
    const shown = aliases.map((alias) => shortView(alias, mounts));
    return by === 'id' ? { key: id, info: { name, aliases: shown } } : { key: name, info: { id, aliases: shown } };
  });
}

function filtered({ prefix, metadata }: EntityFilter): RawBuilder<unknown> {
  const conditions = [
    sql`true`,
    ...(prefix === '' ? [] : [sql`starts_with(e.name_key, ${nameKey(prefix)})`]),
    ...(Object.keys(metadata).length === 0 ? [] : [sql`e.metadata @> ${JSON.stringify(metadata)}::jsonb`]),
  ];
  return sql.join(conditions, sql` and `);
}

const shortView = (alias: AliasRow, mounts: Mounts): object => ({
  id: alias.id,
  name: alias.name,
  ...mountView(alias.mount_accessor, mounts),
});
