import type { Decision, Need } from '../contract.ts';
import type { Acl } from './acl.ts';
import { parameterRefusal } from './parameters.ts';
import type { Capability, Grant, PolicyName } from './rule.ts';

const withParameters: ReadonlySet<Need['capability']> = new Set<Need['capability']>([
  'create',
  'read',
  'update',
  'patch',
]);

/** Whether the policies of a caller allow a request. It touches nothing and costs microseconds. */
export function decide(acl: Acl, need: Need): Decision {
  const grant = acl.find(need.path, need.capability === 'list');
  if (grant === undefined) return refused('no rule matches the path');
  const why = refusal(grant, need);
  if (why !== undefined) return refused(why);
  const { capabilities, mfaMethods } = grant;
  return { allowed: true, sudo: capabilities.has('sudo'), mfaMethods, grantedBy: policiesWith(grant, need.capability) };
}

/** Each policy once, also where several of its rules have the capability. */
function policiesWith({ shares = [] }: Grant, capability: Capability): readonly PolicyName[] {
  const found: PolicyName[] = [];
  for (const { policy, capabilities } of shares) {
    if (capabilities.has(capability) && !found.includes(policy)) found.push(policy);
  }
  return found;
}

function refusal(grant: Grant, need: Need): string | undefined {
  if (grant.capabilities.has('deny')) return 'a rule denies the path';
  if (!grant.capabilities.has(need.capability)) return `the capability "${need.capability}" is missing`;
  if (need.sudo && !grant.capabilities.has('sudo')) return 'the capability "sudo" is missing';
  return (
    wrappingRefusal(grant, need.wrapSeconds) ??
    (withParameters.has(need.capability) ? parameterRefusal(grant, need.parameters) : undefined)
  );
}

function wrappingRefusal(grant: Grant, wrapSeconds: number | undefined): string | undefined {
  const { wrappingSecondsMin: least, wrappingSecondsMax: most } = grant;
  if (least === 0 && most === 0) return undefined;
  if (most > 0 && most < least) return 'the limits of wrapping leave no time';
  if (wrapSeconds === undefined) return 'the answer has to be wrapped';
  if (wrapSeconds < least) return `the answer has to be wrapped for ${least} s at least`;
  return most > 0 && wrapSeconds > most ? `the answer may be wrapped for ${most} s at most` : undefined;
}

const refused = (why: string): Decision => ({ allowed: false, why });

/** What a caller may do on a path, as `sys/capabilities` lists it. */
export const capabilitiesOn = (acl: Acl, path: string): readonly Capability[] =>
  shownCapabilities(acl.find(path, path.endsWith('/'))?.capabilities ?? new Set());

/** Sorted; `deny` alone when nothing is allowed. */
export const shownCapabilities = (found: ReadonlySet<Capability>): readonly Capability[] =>
  found.size === 0 || found.has('deny') ? ['deny'] : [...found].sort();
