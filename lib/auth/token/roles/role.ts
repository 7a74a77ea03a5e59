/** A token role as it is kept: what tokens that are created against it may be. */
export interface TokenRole extends RoleSettings {
  readonly name: string;
}

/** Durations are in seconds; 0 and empty: the role says nothing. */
export interface RoleSettings {
  readonly allowed_policies: readonly string[];
  readonly allowed_policies_glob: readonly string[];
  readonly disallowed_policies: readonly string[];
  readonly disallowed_policies_glob: readonly string[];
  /** Aliases of entities, in which `*` stands for any text. */
  readonly allowed_entity_aliases: readonly string[];
  readonly orphan: boolean;
  readonly renewable: boolean;
  /** Stands behind the role's name in the path of its tokens. */
  readonly path_suffix: string;
  readonly bound_cidrs: readonly string[];
  readonly explicit_max_ttl: number;
  readonly no_default_policy: boolean;
  readonly num_uses: number;
  readonly period: number;
  readonly token_type: TokenTypeRule;
}

/** `service` and `batch` hold whatever is asked for; `default`: what the mount is tuned to. */
export const tokenTypeRules = ['service', 'batch', 'default', 'default-service', 'default-batch'] as const;
export type TokenTypeRule = (typeof tokenTypeRules)[number];

export const newRole: RoleSettings = {
  allowed_policies: [],
  allowed_policies_glob: [],
  disallowed_policies: [],
  disallowed_policies_glob: [],
  allowed_entity_aliases: [],
  orphan: false,
  renewable: true,
  path_suffix: '',
  bound_cidrs: [],
  explicit_max_ttl: 0,
  no_default_policy: false,
  num_uses: 0,
  period: 0,
  token_type: 'default-service',
};
