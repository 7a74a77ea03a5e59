import { sql } from 'kysely';
import type { Store } from '../../../store/store.ts';
import type { Subject } from '../../policy/template.ts';

/** What an entity brings to its tokens at the moment. */
export interface EntityFacts {
  /** Differs from that of all other facts of this process; empty for those of nobody. */
  readonly key: string;
  /** Names of the policies of the entity and of its groups in its namespace, sorted. */
  readonly policies: readonly string[];
  /** What templates may name. */
  readonly subject: Subject;
}

/** Of who has no entity. */
export const nobody: EntityFacts = { key: '', policies: [], subject: { groups: [] } };

type Texts = Readonly<Record<string, string>>;

interface Found {
  readonly id: string;
  readonly namespace_id: string;
  readonly name: string;
  readonly metadata: Texts;
  readonly policies: readonly string[];
  readonly aliases: readonly AliasFacts[];
  readonly groups: readonly GroupFacts[];
}

interface GroupFacts {
  readonly id: string;
  readonly namespace_id: string;
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

/** One statement, however many groups there are and however deep they lie. No other facts have this key. */
export async function readFacts({ db }: Pick<Store, 'db'>, entityId: string, key: string): Promise<EntityFacts> {
  const { rows } = await sql<Found>`
    with recursive mine as (
      select group_id as id from group_entities where entity_id = ${entityId}
      union
      select g.parent_id from group_groups g join mine on mine.id = g.member_id
    )
    select id, namespace_id, name, metadata, policies,
           (select coalesce(json_agg(json_build_object('id', id, 'mount_accessor', mount_accessor, 'name', name,
                     'metadata', metadata, 'custom_metadata', custom_metadata)), '[]'::json)
              from entity_aliases where entity_id = entities.id) as aliases,
           (select coalesce(json_agg(json_build_object('id', id, 'namespace_id', namespace_id, 'name', name,
                     'metadata', metadata, 'policies', policies)), '[]'::json)
              from identity_groups where id in (select id from mine)) as groups
      from entities where id = ${entityId} and not disabled`.execute(db);
  const [row] = rows;
  if (row === undefined) return nobody;
  const near = row.groups.filter((group) => group.namespace_id === row.namespace_id);
  const policies = [row, ...near].flatMap((one) => one.policies);
  return {
    key,
    policies: [...new Set(policies)].sort(),
    subject: { entity: subjectEntity(row), groups: near },
  };
}

const subjectEntity = ({ id, name, metadata, aliases }: Found): NonNullable<Subject['entity']> => ({
  ...{ id, name, metadata },
  aliases: new Map(aliases.map((alias) => [alias.mount_accessor, { ...alias, customMetadata: alias.custom_metadata }])),
});
