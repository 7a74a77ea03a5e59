import { type RawBuilder, sql } from 'kysely';
import type { ListedEntry, Page } from '#path/listing.ts';
import { arrayOf, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { nameKey } from '../names.ts';
import { type Group, groupColumns } from './view.ts';

/** One way to identify a group. */
export type GroupKey =
  | { readonly id: string }
  | { readonly name: string }
  | { readonly aliasId: string }
  | { readonly aliasName: string; readonly mountAccessor: string };

/** Members that a reply shows: logins can add more to an external group than a reply can hold. */
const membersMax = 50_000;

/** Reads a group in one statement. Undefined when the namespace has no such group. */
export async function findGroup(
  { db }: Pick<Store, 'db'>,
  namespaceId: string,
  key: GroupKey,
): Promise<Group | undefined> {
  const { rows } = await rowsOf(groupColumns)`
    select g.*, (select row_to_json(a) from group_aliases a where a.group_id = g.id) as alias,
           array(select entity_id from group_entities where group_id = g.id order by entity_id limit ${membersMax})
             as member_entity_ids,
           array(select member_id from group_groups where parent_id = g.id order by member_id) as member_group_ids,
           array(select parent_id from group_groups where member_id = g.id order by parent_id) as parent_group_ids
      from identity_groups g where g.namespace_id = ${namespaceId} and ${condition(key)}`.execute(db);
  return rows[0];
}

function condition(key: GroupKey): RawBuilder<unknown> {
  if ('id' in key) return sql`g.id = ${key.id}`;
  if ('name' in key) return sql`g.name_key = ${nameKey(key.name)}`;
  if ('aliasId' in key) return sql`g.id = (select group_id from group_aliases where id = ${key.aliasId})`;
  return sql`g.id = (select group_id from group_aliases where namespace_id = g.namespace_id
    and mount_accessor = ${key.mountAccessor} and name_key = ${nameKey(key.aliasName)})`;
}

/** A page of groups in the order of their ids or names. */
export async function groupPage(
  { db }: Pick<Store, 'db'>,
  namespaceId: string,
  by: 'id' | 'name',
  { after, limit }: Page,
): Promise<readonly ListedEntry[]> {
  const column = by === 'id' ? sql`g.id` : sql`g.name_key`;
  const { rows } = await rowsOf({ id: text, name: text, parents: arrayOf(text) })`
    select g.id, g.name, array(select parent_id from group_groups where member_id = g.id order by parent_id) as parents
      from identity_groups g where g.namespace_id = ${namespaceId} and ${column} > ${by === 'id' ? after : nameKey(after)}
     order by ${column} limit ${limit}`.execute(db);
  return rows.map(({ id, name, parents }) => {
    const info = { parent_group_ids: parents };
    return by === 'id' ? { key: id, info: { name, ...info } } : { key: name, info: { id, ...info } };
  });
}
