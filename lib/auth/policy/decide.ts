import type { Parameters } from '#path/input/parameters.ts';
import type { Acl } from './acl.ts';
import { parameterRefusal } from './parameters.ts';
import type { Capability, Grant, PolicyName } from './rule.ts';

/** What a request needs to be allowed. */
export interface Need {
  readonly capability: Exclude<Capability, 'deny' | 'sudo'>;
  /** The path below `/v1/` with the namespace, without a leading slash. The path of a listing ends in a slash. */
  readonly path: string;
  /** Whether the path also needs the sudo capability. */
  readonly sudo: boolean;
  /** Members of the body, or of the query of a request without a body. Called only for a rule about parameters. */
  readonly parameters: () => Parameters;
  /** Seconds for which the reply is to be wrapped. Undefined for an unwrapped reply. */
  readonly wrapSeconds: number | undefined;
}

export type Decision = Allowed | Denied;

export interface Allowed {
  readonly allowed: true;
  /** Whether the caller has the sudo capability on the path, even if it is not needed. */
  readonly sudo: boolean;
  /** Names of the TOTP methods that the request has to pass first. */
  readonly mfaMethods: readonly string[];
  /** The policies that grant the capability on the path, for the audit log. */
  readonly grantedBy: readonly PolicyName[];
}

export interface Denied {
  readonly allowed: false;
  /** For the audit log and for readers of policies, not for the caller. Names parameters, never their values. */
  readonly why: string;
}

const withParameters: ReadonlySet<Need['capability']> = new Set<Need['capability']>([
  'create',
  'read',
  'update',
  'patch',
]);

/** Whether the policies of a caller allow a request. A pure function that takes microseconds. */
export function decide(acl: Acl, need: Need): Decision {
  const grant = acl.find(need.path, need.capability === 'list');
  if (grant === undefined) return refused('no rule matches the path');
  const why = refusal(grant, need);
  if (why !== undefined) return refused(why);
  const { capabilities, mfaMethods } = grant;
  return { allowed: true, sudo: capabilities.has('sudo'), mfaMethods, grantedBy: policiesWith(grant, need.capability) };
}

/** Each policy once, even if several of its rules grant the capability. */
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
  if (most > 0 && most < least) return 'the wrapping limits exclude every duration';
  if (wrapSeconds === undefined) return 'the reply has to be wrapped';
  if (wrapSeconds < least) return `the reply has to be wrapped for at least ${least} s`;
  return most > 0 && wrapSeconds > most ? `the reply may be wrapped for at most ${most} s` : undefined;
}

const refused = (why: string): Decision => ({ allowed: false, why });

/** The capabilities of a caller on a path, as `sys/capabilities` lists them. */
export const capabilitiesOn = (acl: Acl, path: string): readonly Capability[] =>
  shownCapabilities(acl.find(path, path.endsWith('/'))?.capabilities ?? new Set());

/** Sorted capabilities; `deny` alone when nothing is allowed. */
export const shownCapabilities = (found: ReadonlySet<Capability>): readonly Capability[] =>
  found.size === 0 || found.has('deny') ? ['deny'] : [...found].sort();
