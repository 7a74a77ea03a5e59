import { isWithin, type Namespace } from '../../../core/namespace.ts';
import type { ApplicationMode } from '../group/application.ts';

/** Names of policies of a namespace, sorted and each once. Paths of their rules are relative to the namespace. */
export interface PoliciesOf {
  readonly namespace: Namespace;
  readonly names: readonly string[];
}

/** One entry for each namespace that somebody has policies of. */
export type Grants = readonly PoliciesOf[];

/**
 * What an entity has of its own and of its groups. Those of a group count for entities of the group's namespace and of those
 * below it, and for all others only where the mode is `any`.
 */
export function grantsOf(own: PoliciesFrom, groups: readonly PoliciesFrom[], mode: ApplicationMode): Grants {
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

/** The names of one namespace. */
export const namesIn = (grants: Grants, namespaceId: string): readonly string[] =>
  grants.find(({ namespace }) => namespace.id === namespaceId)?.names ?? [];

/** Names by the ids of all namespaces but one, as clients of the API family are shown them. */
export const namesBeside = (grants: Grants, namespaceId: string): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    grants.flatMap(({ namespace, names }) => (namespace.id === namespaceId ? [] : [[namespace.id, names] as const])),
  );
