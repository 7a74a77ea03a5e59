/**
 * Words of this module.
 *
 * - **policy**: a named text, in HCL or JSON, of rules.
 * - **rule**: what a policy grants or denies on the paths that its pattern matches.
 * - **grant**: the rules of one pattern over all policies of a caller, merged.
 * - **ACL**: all grants of a caller, compiled for searches.
 */

/** What a caller may do on a path. `deny` overrides all others. */
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

/** Values by parameter in lower case. An empty list stands for any value. */
export type ParameterRule = ReadonlyMap<string, readonly ParameterValue[]>;
export type ParameterValue = string | number | boolean | readonly ParameterValue[];

export interface Grant {
  readonly capabilities: ReadonlySet<Capability>;
  /** Empty to allow any parameter. */
  readonly allowedParameters: ParameterRule;
  readonly deniedParameters: ParameterRule;
  readonly requiredParameters: ReadonlySet<string>;
  /** Seconds; 0 sets no limit. When either is set, a request has to ask for a wrapped reply. */
  readonly wrappingSecondsMin: number;
  readonly wrappingSecondsMax: number;
  /** Names of the TOTP methods that a request must pass, all of them. */
  readonly mfaMethods: readonly string[];
  /** The policies of the rules with what each of them grants. Absent when the policies have no names. */
  readonly shares?: readonly Share[];
}

/** What one policy contributes to a grant. */
export interface Share {
  readonly policy: PolicyName;
  readonly capabilities: ReadonlySet<Capability>;
  /** Where the rule begins in the text, as an offset. Only of policies that are tried out. */
  readonly at?: number;
}

/** Identifies a policy. */
export interface PolicyName {
  readonly name: string;
  readonly namespaceId: string;
}

export interface Rule extends Grant {
  /** The pattern in the policy, without a leading slash. It may contain templates. */
  readonly pattern: string;
  /** Where the rule begins in the text, as an offset. */
  readonly at?: number;
}

export interface Policy {
  readonly rules: readonly Rule[];
  /** Whether a pattern contains `{{…}}`, so that the rules depend on the caller. */
  readonly templated: boolean;
}
