import type { Identifier, Relationship, Resource } from '#path/jsonapi/resource.ts';

/**
 * Removes relationships from included resources until no resource leads back to itself. Go clients of this API family replace identifiers
 * with the included resources and follow a loop until the stack overflows. In a loop between an organization and its resources, the
 * organization loses the relationship: clients need the organization of a project, and read the organization's defaults separately.
 */
export function withoutLoops(included: readonly Resource[]): readonly Resource[] {
  if (included.length < 2) return included;
  const byKey = new Map(included.map((resource) => [keyOf(resource), resource]));
  const cut = new Map<Resource, Set<string>>();
  const open = new Set<string>();
  const done = new Set<string>();
  const visit = (key: string, resource: Resource) => {
    open.add(key);
    for (const [name, relationship] of Object.entries(resource.relationships ?? {}))
      for (const to of identifiersOf(relationship)) {
        const next = keyOf(to);
        const there = byKey.get(next);
        if (open.has(next)) cut.set(resource, (cut.get(resource) ?? new Set()).add(name));
        else if (there !== undefined && !done.has(next)) visit(next, there);
      }
    open.delete(key);
    done.add(key);
  };
  const isOrganization = ({ type }: Resource) => Number(type === 'organizations');
  for (const resource of included.toSorted((a, b) => isOrganization(a) - isOrganization(b))) {
    const key = keyOf(resource);
    if (!done.has(key)) visit(key, resource);
  }
  return included.map((resource) => lettingGo(resource, cut.get(resource)));
}

const keyOf = ({ type, id }: Identifier): string => `${type} ${id}`;

const identifiersOf = ({ data }: Relationship): readonly Identifier[] =>
  data === undefined || data === null ? [] : 'id' in data ? [data] : data;

/** Removes the data of relationships. A relationship with links keeps them; one without links is removed. */
function lettingGo(resource: Resource, names: ReadonlySet<string> | undefined): Resource {
  if (names === undefined) return resource;
  const kept = Object.entries(resource.relationships ?? {}).flatMap(([name, relationship]) => {
    if (!names.has(name)) return [[name, relationship] as const];
    return relationship.links === undefined ? [] : [[name, { links: relationship.links }] as const];
  });
  return { ...resource, relationships: Object.fromEntries(kept) };
}
