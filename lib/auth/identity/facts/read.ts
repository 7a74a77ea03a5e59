import { sql } from 'kysely';
import type { Namespace } from '../../../core/namespace.ts';
import type { Store } from '../../../store/store.ts';
import type { Subject } from '../../policy/template.ts';
import { type ApplicationMode, modeColumn, modeOf } from '../group/application.ts';
import { type Grants, grantsOf } from './grants.ts';

/** What an entity brings to its tokens at the moment. */
export interface EntityFacts {
  /** Differs from that of all other facts of this process; empty for those of nobody. */
  readonly key: string;
  /** Of the entity and of those of its groups whose policies apply to it. */
  readonly policies: Grants;
  /** All groups that it is in, of whatever namespace. */
  readonly groupIds: readonly string[];
  /** What templates of policies of a namespace may name: groups are known by names of their own namespace. */
  subjectIn(namespaceId: string): Subject;
}

/** Of who has no entity. */
export const nobody: EntityFacts = {
  key: '',
  policies: [],
  groupIds: [],
  subjectIn: () => ({ groups: [] }),
};

type Texts = Readonly<Record<string, string>>;

interface Found {
  readonly id: string;
  readonly namespace: Namespace;
  readonly name: string;
  readonly metadata: Texts;
  readonly policies: readonly string[];
  readonly aliases: readonly AliasFacts[];
  readonly groups: readonly GroupFacts[];
  readonly mode: ApplicationMode | null;
}

/** A group that an entity is in. */
interface GroupFacts {
  readonly id: string;
  readonly namespace: Namespace;
  readonly name: string;
  readonly metadata: Texts;
  readonly policies: readonly string[];
}

interface AliasFacts {
  readonly id: string;
  readonly mount_accessor: string;
  readonly name: string;
  readonly metadata: Texts;
  readonly custom_metadata: Texts;
}

/** The namespace of a row, with the path of the row `n` of the namespaces; the root has none. */
const namespace = (id: string) => sql`json_build_object('id', ${sql.ref(id)}, 'path', coalesce(n.path, ''))`;

/**
 * One statement, however many groups there are and however deep they lie. What is being deleted brings nothing any more. No
 * other facts have this key.
 */
export async function readFacts({ db }: Pick<Store, 'db'>, entityId: string, key: string): Promise<EntityFacts> {
  const { rows } = await sql<Found>`
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
  return row === undefined ? nobody : factsOf(row, key);
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
  ...{ id, name, metadata },
  aliases: new Map(aliases.map((alias) => [alias.mount_accessor, { ...alias, customMetadata: alias.custom_metadata }])),
});
