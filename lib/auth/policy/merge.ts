import type { Capability, Grant, ParameterRule } from './rule.ts';

/**
 * Merges two rules of one pattern: `deny` wins, everything else adds up. Of the minimum and maximum wrapping times the lower ones apply;
 * a minimum above the maximum denies the path.
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

/** The lower of two limits, where 0 sets no limit. */
const smaller = (a: number, b: number): number => (a === 0 || b === 0 ? Math.max(a, b) : Math.min(a, b));

/** An empty list allows any value, so it includes the other list. */
function mergedParameters(a: ParameterRule, b: ParameterRule): ParameterRule {
  const merged = new Map(a);
  for (const [name, values] of b) {
    const before = merged.get(name);
    merged.set(name, before?.length === 0 || values.length === 0 ? [] : [...(before ?? []), ...values]);
  }
  return merged;
}
