import type { ResourceSummary } from './summary.ts';

/** Resources that a document lists; the counts are of all. */
const listedMax = 10_000;

/** What a state version says of the resources of its state. */
export function countsOf(resources: readonly ResourceSummary[]) {
  return {
    resources: resources.slice(0, listedMax).map(({ managed: _managed, ...shown }) => shown),
    modules: countedBy(resources, ({ module }) => module),
    providers: countedBy(resources, ({ provider }) => provider),
    /** Instances that are managed: data sources are only read. */
    managed: resources.reduce((sum, { managed, count }) => sum + (managed ? count : 0), 0),
  };
}

/** Resources by type below each value of a member: `{"root": {"null-resource": 1}}`. */
function countedBy(
  resources: readonly ResourceSummary[],
  memberOf: (resource: ResourceSummary) => string,
): Readonly<Record<string, Readonly<Record<string, number>>>> {
  const counted = new Map<string, Map<string, number>>();
  for (const resource of resources) {
    const member = memberOf(resource);
    const types = counted.get(member) ?? new Map<string, number>();
    counted.set(member, types);
    const type = resource.type.replaceAll('_', '-');
    types.set(type, (types.get(type) ?? 0) + resource.count);
  }
  return Object.fromEntries([...counted].map(([member, types]) => [member, Object.fromEntries(types)]));
}
