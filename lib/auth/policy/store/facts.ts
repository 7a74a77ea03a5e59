import type { Namespace } from '#core/namespace.ts';
import type { Subject } from '../template.ts';

/** Names of policies of one namespace, sorted and without duplicates. Paths in their rules are relative to that namespace. */
export interface PoliciesOf {
  readonly namespace: Namespace;
  readonly names: readonly string[];
}

/** One entry for each namespace in which a caller has policies. */
export type Grants = readonly PoliciesOf[];

/** The names of one namespace. */
export const namesIn = (grants: Grants, namespaceId: string): readonly string[] =>
  grants.find(({ namespace }) => namespace.id === namespaceId)?.names ?? [];

/** The names of all other namespaces by their ids, as clients of the API family expect them. */
export const namesBeside = (grants: Grants, namespaceId: string): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    grants.flatMap(({ namespace, names }) => (namespace.id === namespaceId ? [] : [[namespace.id, names] as const])),
  );

/** What an entity contributes to its tokens at the moment. */
export interface EntityFacts {
  /** Unique among all facts of this process; empty for a token without an entity. */
  readonly key: string;
  /** Policies of the entity and of those of its groups that apply to it. */
  readonly policies: Grants;
  /** All groups that it is a member of, in any namespace. */
  readonly groupIds: readonly string[];
  /** What templates in policies of a namespace can refer to: groups are visible in their own namespace only. */
  subjectIn(namespaceId: string): Subject;
}

/** The facts of a token without an entity. */
export const noEntity: EntityFacts = {
  key: '',
  policies: [],
  groupIds: [],
  subjectIn: () => ({ groups: [] }),
};

/** The entity whose facts are wanted, as the look-up of a token found it. */
export interface FactsHolder {
  readonly entityId: string;
  /** Absent: the facts are read anew, never taken from the cache. */
  readonly entityState?: string | undefined;
  /** False when no MFA enforcement exists. Absent when that is unknown. */
  readonly mayBeHeld?: boolean;
}

/** Reads facts that are at least as new as the state that the holder names. */
export type FactsOf = (holder: FactsHolder) => Promise<EntityFacts>;
