import { type Kysely, type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { pick, type RowOf } from '#store/sql/columns.ts';
import { arrayOf, jsonOf, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import { entitiesTable } from '#store/tables/identity.ts';
import type { Database } from '#store/tables.ts';
import { aliasesInJson } from '../alias/row.ts';
import { nameKey } from '../names.ts';

/** An entity with everything that clients read. */
export type Entity = RowOf<typeof entityColumns>;

const entityColumns = {
  ...pick(entitiesTable, 'id', 'namespace_id', 'name', 'metadata', 'policies', 'disabled', 'created_at', 'updated_at'),
  aliases: aliasesInJson,
  /** The MFA methods that it is enrolled in, by their ids; never their secrets. */
  mfa_secrets: jsonOf(z.record(z.string(), z.strictObject({ method_name: z.string(), type: z.literal('totp') }))),
  merged_entity_ids: arrayOf(text),
  direct_group_ids: arrayOf(text),
  /** Groups that contain one of its groups, without the direct ones. */
  inherited_group_ids: arrayOf(text),
};

/** One way to identify an entity. */
export type EntityKey =
  | { readonly id: string }
  | { readonly name: string }
  | { readonly aliasId: string }
  | { readonly aliasName: string; readonly mountAccessor: string };

/** Reads an entity in one statement, whatever the number of groups. Undefined when the namespace has no such entity. */
export async function findEntity(
  { db }: { readonly db: Kysely<Database> },
  namespaceId: string,
  key: EntityKey,
): Promise<Entity | undefined> {
  const { rows } = await entities(sql`e.namespace_id = ${namespaceId} and ${condition(key)}`).execute(db);
  return rows[0];
}

function condition(key: EntityKey): RawBuilder<unknown> {
  if ('id' in key) return sql`e.id = ${key.id}`;
  if ('name' in key) return sql`e.name_key = ${nameKey(key.name)}`;
  if ('aliasId' in key) return sql`e.id = (select entity_id from entity_aliases where id = ${key.aliasId})`;
  return sql`e.id = (select entity_id from entity_aliases where namespace_id = e.namespace_id
    and mount_accessor = ${key.mountAccessor} and name_key = ${nameKey(key.aliasName)})`;
}

const entities = (where: RawBuilder<unknown>) => rowsOf(entityColumns)`
  select e.id, e.namespace_id, e.name, e.metadata, e.policies, e.disabled, e.created_at, e.updated_at,
         coalesce(a.aliases, '[]'::json) as aliases, coalesce(m.ids, '{}') as merged_entity_ids, coalesce(s.secrets, '{}'::json) as mfa_secrets,
         coalesce(g.direct, '{}') as direct_group_ids, coalesce(g.inherited, '{}') as inherited_group_ids
    from entities e
    left join lateral (select json_agg(a order by a.created_at, a.id) as aliases
                         from entity_aliases a where a.entity_id = e.id) a on true
    left join lateral (select array_agg(from_id order by from_id) as ids
                         from merged_entities where to_id = e.id) m on true
    left join lateral (select json_object_agg(k.id, json_build_object('method_name', coalesce(k.name, ''), 'type', 'totp')
                                              order by k.id) as secrets
                         from mfa_secrets s join mfa_methods k on k.id = s.method_id
                        where s.entity_id = e.id and k.removed_at is null) s on true
    left join lateral (
      with recursive mine as (
        select group_id as id from group_entities where entity_id = e.id
        union
        select p.parent_id from group_groups p join mine on mine.id = p.member_id
      ), marked as (
        select id, exists (select 1 from group_entities d where d.entity_id = e.id and d.group_id = mine.id) as direct from mine
      )
      select array_agg(id order by id) filter (where direct) as direct,
             array_agg(id order by id) filter (where not direct) as inherited from marked
    ) g on true
   where ${where}`;
