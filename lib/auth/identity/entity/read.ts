import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Store } from '../../../store/store.ts';
import type { Database } from '../../../store/tables.ts';
import type { AliasRow } from '../alias/row.ts';
import { nameKey } from '../names.ts';
import type { Metadata } from '../parts.ts';

/** An entity with all that is shown of it. */
export interface Entity {
  readonly id: string;
  readonly namespace_id: string;
  readonly name: string;
  readonly metadata: Metadata;
  readonly policies: readonly string[];
  readonly disabled: boolean;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly aliases: readonly AliasRow[];
  /** The second factors that it is enrolled in, by the ids of their methods; never their secrets. */
  readonly mfa_secrets: Readonly<Record<string, object>>;
  readonly merged_entity_ids: readonly string[];
  readonly direct_group_ids: readonly string[];
  /** Of groups that it is in because they are in others; direct ones are left out. */
  readonly inherited_group_ids: readonly string[];
}

/** By what an entity is found. */
export type EntityKey =
  | { readonly id: string }
  | { readonly name: string }
  | { readonly aliasId: string }
  | { readonly aliasName: string; readonly mountAccessor: string };

/** In one statement, however many groups there are. Undefined: there is none in the namespace. */
export async function findEntity(
  { db }: Pick<Store, 'db'>,
  namespaceId: string,
  key: EntityKey,
): Promise<Entity | undefined> {
  const { rows } = await sql<Entity>`${entities(sql`e.namespace_id = ${namespaceId} and ${condition(key)}`)}`.execute(
    db as Kysely<Database>,
  );
  return rows[0];
}

function condition(key: EntityKey): RawBuilder<unknown> {
  if ('id' in key) return sql`e.id = ${key.id}`;
  if ('name' in key) return sql`e.name_key = ${nameKey(key.name)}`;
  if ('aliasId' in key) return sql`e.id = (select entity_id from entity_aliases where id = ${key.aliasId})`;
  return sql`e.id = (select entity_id from entity_aliases where namespace_id = e.namespace_id
    and mount_accessor = ${key.mountAccessor} and name_key = ${nameKey(key.aliasName)})`;
}

const entities = (where: RawBuilder<unknown>) => sql`
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
