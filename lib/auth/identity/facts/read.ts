import { sql } from 'kysely';
import { z } from 'zod';
import { isWithin, type Namespace } from '#core/namespace.ts';
import { objectsOf, pick, type RowOf } from '#store/sql/columns.ts';
import { jsonOf } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { entitiesTable, entityAliasesTable, identityGroupsTable } from '#store/tables/identity.ts';
import { type EntityFacts, type Grants, noEntity } from '../../policy/store/facts.ts';
import type { Subject } from '../../policy/template.ts';
import { type ApplicationMode, modeColumn, modeKind, modeOf } from '../group/application.ts';

const ofNamespace = { namespace: jsonOf(z.strictObject({ id: z.string(), path: z.string() }).readonly()) };

const factColumns = {
  ...pick(entitiesTable, 'id', 'name', 'metadata', 'policies'),
  ...ofNamespace,
  aliases: objectsOf(pick(entityAliasesTable, 'id', 'mount_accessor', 'name', 'metadata', 'custom_metadata')),
  /** The groups that the entity is a member of, directly or through other groups. */
  groups: objectsOf({ ...pick(identityGroupsTable, 'id', 'name', 'metadata', 'policies'), ...ofNamespace }),
  mode: modeKind,
};

type Found = RowOf<typeof factColumns>;

/** The namespace of a row as JSON; `n` is its joined row of `namespaces`, which the root does not have. */
const namespace = (id: string) => sql`json_build_object('id', ${sql.ref(id)}, 'path', coalesce(n.path, ''))`;

/**
 * Reads facts in one statement, whatever the number and depth of groups. Groups of a namespace that is being deleted do not
 * count. The facts get the key, which no other facts may have.
 */
export async function readFacts({ db }: Pick<Store, 'db'>, entityId: string, key: string): Promise<EntityFacts> {
  const { rows } = await rowsOf(factColumns)`
    with recursive mine as (
      select group_id as id from group_entities where entity_id = ${entityId}
      union
      select g.parent_id from group_groups g join mine on mine.id = g.member_id
    )
    select e.id, ${namespace('e.namespace_id')} as namespace, e.name, e.metadata, e.policies, ${modeColumn} as mode,
           (select coalesce(json_agg(json_build_object('id', id, 'mount_accessor', mount_accessor, 'name', name,
                     'metadata', metadata, 'custom_metadata', custom_metadata)), '[]'::json)
              from entity_aliases where entity_id = e.id) as aliases,
           (select coalesce(json_agg(json_build_object('id', g.id, 'namespace', ${namespace('g.namespace_id')},
                     'name', g.name, 'metadata', g.metadata, 'policies', g.policies)), '[]'::json)
              from identity_groups g left join namespaces n on n.id = g.namespace_id and n.deleted_at is null
             where g.id in (select id from mine) and (g.namespace_id = 'root' or n.id is not null)) as groups
      from entities e left join namespaces n on n.id = e.namespace_id
     where e.id = ${entityId} and not e.disabled`.execute(db);
  const [row] = rows;
  return row === undefined ? noEntity : factsOf(row, key);
}

function factsOf(row: Found, key: string): EntityFacts {
  const entity = subjectEntity(row);
  return {
    key,
    policies: grantsOf(row, row.groups, modeOf(row.mode)),
    groupIds: row.groups.map(({ id }) => id),
    subjectIn: (id) => ({ entity, groups: row.groups.filter((group) => group.namespace.id === id) }),
  };
}

const subjectEntity = ({ id, name, metadata, aliases }: Found): NonNullable<Subject['entity']> => ({
  id,
  name,
  metadata,
  aliases: new Map(aliases.map((alias) => [alias.mount_accessor, { ...alias, customMetadata: alias.custom_metadata }])),
});

/**
 * The policies of an entity and of its groups. Those of a group apply to entities of the group's namespace and of the
 * namespaces below it, and to all other members only in the mode `any`.
 */
function grantsOf(own: PoliciesFrom, groups: readonly PoliciesFrom[], mode: ApplicationMode): Grants {
  const applying = groups.filter(({ namespace }) => mode === 'any' || isWithin(own.namespace, namespace));
  const byNamespace = Map.groupBy([own, ...applying], ({ namespace }) => namespace.id);
  return [...byNamespace.values()].flatMap((all) => {
    const names = [...new Set(all.flatMap(({ policies }) => policies))].sort();
    return names.length === 0 || all[0] === undefined ? [] : [{ namespace: all[0].namespace, names }];
  });
}

interface PoliciesFrom {
  readonly namespace: Namespace;
  readonly policies: readonly string[];
}
