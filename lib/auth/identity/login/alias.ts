import { coalesce } from '#core/concurrency/coalesce.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { bool, int, nullable, text, textMap } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { stateColumn } from '../../token/find/entity-state.ts';
import type { LoginOf } from '../../token/identities.ts';
import { nameKey } from '../names.ts';

/** An alias and its entity. */
export type FoundAlias = RowOf<typeof foundColumns>;

const foundColumns = {
  entity_id: text,
  /** Null when the entity is disabled. */
  entity_state: nullable(text),
  metadata: textMap,
  /** Whether the memberships in external groups with aliases at the mount differ from the groups of the login. */
  groups_differ: bool,
  /** Whether any MFA enforcement exists. */
  enforced: bool,
};

type Find = (login: LoginOf) => Promise<FoundAlias | undefined>;

/** Looks up aliases. Concurrent look-ups share a round trip. */
export function aliasFinder({ db }: Pick<Store, 'db'>): Find {
  return coalesce(
    async (logins: readonly LoginOf[]) => {
      const asked = logins.map(({ namespaceId, mount, alias, groups }, n) => ({
        n,
        namespace_id: namespaceId,
        mount_accessor: mount.accessor,
        name_key: nameKey(alias),
        groups: groups?.map(nameKey) ?? null,
      }));
      const { rows } = await rowsOf({ n: int, ...foundColumns })`
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

/** Creates an entity with its alias in one statement and returns its state. Undefined when the alias exists already. */
export async function makeEntity({ db }: Pick<Store, 'db'>, entity: NewEntity): Promise<string | undefined> {
  const { id, aliasId, key, login } = entity;
  const { rows } = await rowsOf({ state: text })`
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
