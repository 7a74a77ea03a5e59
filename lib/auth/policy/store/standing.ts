import { type Namespace, rootNamespace } from '#core/namespace.ts';
import { noParameters } from '#path/input/parameters.ts';
import { int, nullable, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { decide, type Need } from '../decide.ts';
import type { Acls } from './acls.ts';
import type { FactsOf } from './facts.ts';

/** The rights of a caller that outlive its token: names of policies of a namespace, and the entity, empty for none. */
export interface Standing {
  readonly namespace_id: string;
  readonly policies: readonly string[];
  readonly entity_id: string;
}

export type StandingMay = (capability: Need['capability'], path: string) => boolean;

interface Parts {
  readonly store: Pick<Store, 'db'>;
  readonly acls: Acls;
  readonly factsOf: FactsOf;
}

/**
 * What a standing allows now, by the present text of its policies and those of its entity. Undefined when the namespace is gone or the
 * entity was disabled or deleted. What needs the code of an MFA method is not allowed, since no client sends one.
 */
export async function rightsOfStanding(parts: Parts, standing: Standing): Promise<StandingMay | undefined> {
  const { acls, factsOf } = parts;
  const namespace = await currentNamespace(parts, standing.namespace_id);
  if (namespace === undefined) return undefined;
  const { entity_id: entityId, policies } = standing;
  if (entityId !== '' && (await factsOf({ entityId })).key === '') return undefined;
  if (policies.includes('root')) return () => true;
  const acl = await acls.of({ namespace, policies, entityId });
  return (capability, path) => {
    const need = { capability, path, sudo: false, parameters: noParameters, wrapSeconds: undefined };
    const decision = decide(acl, need);
    return decision.allowed && decision.mfaMethods.length === 0;
  };
}

/** The namespace, after telling the ACLs which revision of the policies the store has. */
async function currentNamespace({ store, acls }: Parts, id: string): Promise<Namespace | undefined> {
  const { rows } = await rowsOf({ revision: int, path: nullable(text) })`
    select (select revision::int from revisions where name = 'policies') as revision,
           (select path from namespaces where id = ${id} and deleted_at is null) as path`.execute(store.db);
  const [row] = rows;
  if (row === undefined) return undefined;
  acls.seenRevision(row.revision);
  if (id === rootNamespace.id) return rootNamespace;
  return row.path === null ? undefined : { id, path: row.path };
}
