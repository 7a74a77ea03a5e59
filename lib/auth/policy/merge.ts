import type { Capability, Grant, ParameterRule } from './rule.ts';

/**
 * What two rules of one pattern grant together: `deny` wins, all else adds up. Of the limits on wrapping the smaller one
 * holds, for the least time as for the greatest; limits that leave no time between them deny the path.
 */
export function merge(a: Grant, b: Grant): Grant {
  const wrappingSecondsMin = smaller(a.wrappingSecondsMin, b.wrappingSecondsMin);
  const wrappingSecondsMax = smaller(a.wrappingSecondsMax, b.wrappingSecondsMax);
  return {
    capabilities: mergedCapabilities(a.capabilities, b.capabilities),
    allowedParameters: mergedParameters(a.allowedParameters, b.allowedParameters),
    deniedParameters: mergedParameters(a.deniedParameters, b.deniedParameters),
    requiredParameters: a.requiredParameters.union(b.requiredParameters),
    wrappingSecondsMin,
    wrappingSecondsMax,
    mfaMethods: [...new Set([...a.mfaMethods, ...b.mfaMethods])],
    shares: [...(a.shares ?? []), ...(b.shares ?? [])],
  };
}

const denied: ReadonlySet<Capability> = new Set<Capability>(['deny']);

function mergedCapabilities(a: ReadonlySet<Capability>, b: ReadonlySet<Capability>): ReadonlySet<Capability> {
  return a.has('deny') || b.has('deny') ? denied : a.union(b);
}

/** 0 is no limit. */
const smaller = (a: number, b: number): number => (a === 0 || b === 0 ? Math.max(a, b) : Math.min(a, b));

/** An empty list of values means any value, so it takes the other one in. */
function mergedParameters(a: ParameterRule, b: ParameterRule): ParameterRule {
  const merged = new Map(a);
  for (const [name, values] of b) {
    const before = merged.get(name);
    merged.set(name, before?.length === 0 || values.length === 0 ? [] : [...(before ?? []), ...values]);
  }
  return merged;
}
