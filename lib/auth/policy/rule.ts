/**
 * Words of this module.
 *
 * - **policy**: a named text, in HCL or JSON, of rules.
 * - **rule**: what a policy grants or denies on the paths that its pattern matches.
 * - **grant**: the rules of one pattern over all policies of a caller, merged.
 * - **ACL**: all grants of a caller, ready to be asked.
 */

/** What may be done on a path. `deny` takes all others away. */
export const capabilities = [
  'create',
  'read',
  'update',
  'patch',
  'delete',
  'list',
  'sudo',
  'deny',
  'recover',
  'subscribe',
] as const;

export type Capability = (typeof capabilities)[number];

/** Values that a parameter may or may not have; an empty list stands for any value. Keys are in lower case. */
export type ParameterRule = ReadonlyMap<string, readonly ParameterValue[]>;
export type ParameterValue = string | number | boolean | readonly ParameterValue[];

export interface Grant {
  readonly capabilities: ReadonlySet<Capability>;
  /** Empty: any parameter is allowed. */
  readonly allowedParameters: ParameterRule;
  readonly deniedParameters: ParameterRule;
  readonly requiredParameters: ReadonlySet<string>;
  /** Seconds; 0: no limit. When either is set, a request has to ask for its answer to be wrapped. */
  readonly wrappingSecondsMin: number;
  readonly wrappingSecondsMax: number;
  /** Names of TOTP methods that must all be passed. */
  readonly mfaMethods: readonly string[];
  /** The policies that the rules are of, and what each of them grants; absent: nobody has said. */
  readonly shares?: readonly Share[];
}

/** What one policy adds to a grant. */
interface Share {
  readonly policy: PolicyName;
  readonly capabilities: ReadonlySet<Capability>;
}

/** Which policy is meant. */
export interface PolicyName {
  readonly name: string;
  readonly namespaceId: string;
}

export interface Rule extends Grant {
  /** As it stands in the policy, without a leading slash; it may hold templates. */
  readonly pattern: string;
}

export interface Policy {
  readonly rules: readonly Rule[];
  /** A pattern of the policy holds `{{…}}`, so it differs from caller to caller. */
  readonly templated: boolean;
}
