import { sql } from 'kysely';
import { coalesce } from '../../../core/concurrency/coalesce.ts';
import type { Store } from '../../../store/store.ts';
import { nameKey } from '../names.ts';
import { stateColumn } from '../state.ts';
import type { LoginOf } from './contract.ts';

/** An alias and its entity. */
export interface FoundAlias {
  readonly entity_id: string;
  /** Null: the entity is disabled. */
  readonly entity_state: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** Of the external groups with aliases at the mount: he is in others than the login says. */
  readonly groups_differ: boolean;
  /** There is an enforcement somewhere. */
  readonly enforced: boolean;
}

type Find = (login: LoginOf) => Promise<FoundAlias | undefined>;

/** Looks aliases up; those that are asked for at the same time share a round trip. */
export function aliasFinder({ db }: Pick<Store, 'db'>): Find {
  return coalesce(
    async (logins: readonly LoginOf[]) => {
      const asked = logins.map(({ namespaceId, mount, alias, groups }, n) => ({
        ...{ n, namespace_id: namespaceId, mount_accessor: mount.accessor, name_key: nameKey(alias) },
        groups: groups?.map(nameKey) ?? null,
      }));
      const { rows } = await sql<FoundAlias & { readonly n: number }>`
        select i.n, e.id as entity_id, ${stateColumn} as entity_state, a.metadata,
               i.groups is not null and exists (
                 select from group_aliases g
                   left join group_entities m on m.group_id = g.group_id and m.entity_id = a.entity_id
                  where g.namespace_id = i.namespace_id and g.mount_accessor = i.mount_accessor
                    and (m.group_id is not null) <> (g.name_key = any(i.groups))) as groups_differ,
               (select exists (select from mfa_enforcements)) as enforced
          from jsonb_to_recordset(${JSON.stringify(asked)}::jsonb)
               as i (n int, namespace_id text, mount_accessor text, name_key text, groups text[])
          join entity_aliases a using (namespace_id, mount_accessor, name_key)
          join entities e on e.id = a.entity_id`.execute(db);
      const found = new Map(rows.map((row) => [row.n, row]));
      return logins.map((_, n) => found.get(n));
    },
    { batchSizeMax: 64, batchesMax: 4 },
  );
}

export interface NewEntity {
  readonly id: string;
  readonly aliasId: string;
  readonly key: string;
  readonly login: LoginOf;
}

/** One statement: an entity with its alias, or nothing when the alias is there. Answers its state. */
export async function makeEntity({ db }: Pick<Store, 'db'>, entity: NewEntity): Promise<string | undefined> {
  const { id, aliasId, key, login } = entity;
  const { rows } = await sql<{ state: string }>`
    with alias as (
      insert into entity_aliases (id, entity_id, namespace_id, mount_accessor, name, name_key, metadata, local,
                                  created_at, updated_at)
      values (${aliasId}, ${id}, ${login.namespaceId}, ${login.mount.accessor}, ${login.alias}, ${key},
              ${JSON.stringify(login.metadata ?? {})}::jsonb, ${login.mount.local}, now(), now())
      on conflict (namespace_id, mount_accessor, name_key) do nothing returning namespace_id
    ), e as (
      insert into entities (id, namespace_id, name, name_key, created_at, updated_at)
      select ${id}, namespace_id, ${`entity-${id}`}, ${`entity-${id}`}, now(), now() from alias
      returning version, disabled
    )
    select ${stateColumn} as state from e`.execute(db);
  return rows[0]?.state;
}
