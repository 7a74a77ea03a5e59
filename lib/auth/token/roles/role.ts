import { z } from 'zod';

/** A stored token role, which limits the tokens that are created against it. */
export interface TokenRole extends RoleSettings {
  readonly name: string;
}

/** `service` and `batch` apply to every request; `default` leaves the type to the mount. */
export const tokenTypeRules = ['service', 'batch', 'default', 'default-service', 'default-batch'] as const;
export type TokenTypeRule = (typeof tokenTypeRules)[number];

/** Durations are in seconds. 0 and empty values set no limit. */
export type RoleSettings = Readonly<z.infer<typeof roleSettings>>;

const texts = z.array(z.string()).readonly();

export const roleSettings = z.strictObject({
  allowed_policies: texts,
  allowed_policies_glob: texts,
  disallowed_policies: texts,
  disallowed_policies_glob: texts,
  /** Aliases of entities, in which `*` matches any text. */
  allowed_entity_aliases: texts,
  orphan: z.boolean(),
  renewable: z.boolean(),
  /** Follows the name of the role in the path of its tokens. */
  path_suffix: z.string(),
  bound_cidrs: texts,
  explicit_max_ttl: z.number(),
  no_default_policy: z.boolean(),
  num_uses: z.number(),
  period: z.number(),
  token_type: z.enum(tokenTypeRules),
});

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
