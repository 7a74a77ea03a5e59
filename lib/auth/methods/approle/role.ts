import { z } from 'zod';
import { badField } from '#core/errors.ts';
import { sentOf } from '#core/problem.ts';
import type { FormerInput, TokenInput } from '../../login/role/fields.ts';
import { cidrIn, newTokenSettings, tokenSettings, tokenSettingsAfter } from '../../login/role/settings.ts';

/** The stored settings of a role. */
export type RoleSettings = Readonly<z.infer<typeof roleSettings>>;

export const roleSettings = tokenSettings.extend({
  /** Whether logins need a secret id. */
  bind_secret_id: z.boolean(),
  /** CIDR blocks that logins may come from; empty for any address. */
  secret_id_bound_cidrs: z.array(z.string()).readonly(),
  /** Number of allowed uses of each secret id; 0 for unlimited. */
  secret_id_num_uses: z.number(),
  /** Lifetime of each secret id in seconds; 0 for unlimited. */
  secret_id_ttl: z.number(),
  /** Stored for clients, without effect. */
  local_secret_ids: z.boolean(),
});

export interface Role {
  readonly id: string;
  readonly name: string;
  readonly roleId: string;
  readonly settings: RoleSettings;
}

export const newRoleSettings: RoleSettings = {
  ...newTokenSettings,
  bind_secret_id: true,
  secret_id_bound_cidrs: [],
  secret_id_num_uses: 0,
  secret_id_ttl: 0,
  local_secret_ids: false,
};

/** The settings in a request. */
export interface RoleInput extends TokenInput, FormerInput {
  readonly bind_secret_id?: boolean | undefined;
  readonly secret_id_bound_cidrs?: readonly string[] | undefined;
  readonly bound_cidr_list?: readonly string[] | undefined;
  readonly secret_id_num_uses?: number | undefined;
  readonly secret_id_ttl?: number | undefined;
  readonly local_secret_ids?: boolean | undefined;
}

/** The role after a request; `before` is undefined for a new role. @throws AppError `bad-request` for invalid settings */
export function roleAfter(before: RoleSettings | undefined, input: RoleInput): RoleSettings {
  const from = before ?? newRoleSettings;
  const after: RoleSettings = {
    ...tokenSettingsAfter(from, input),
    bind_secret_id: input.bind_secret_id ?? from.bind_secret_id,
    secret_id_bound_cidrs:
      (input.secret_id_bound_cidrs ?? input.bound_cidr_list)?.map(
        cidrIn(sentOf(input, ['secret_id_bound_cidrs', 'bound_cidr_list'])),
      ) ?? from.secret_id_bound_cidrs,
    secret_id_num_uses: input.secret_id_num_uses ?? from.secret_id_num_uses,
    secret_id_ttl: input.secret_id_ttl ?? from.secret_id_ttl,
    local_secret_ids: input.local_secret_ids ?? from.local_secret_ids,
  };
  if (after.secret_id_num_uses < 0) throw badField('secret_id_num_uses', "'secret_id_num_uses' cannot be negative");
  if (before !== undefined && before.local_secret_ids !== after.local_secret_ids)
    throw badField('local_secret_ids', 'local_secret_ids can only be modified during role creation');
  const bound = after.bind_secret_id || after.secret_id_bound_cidrs.length > 0 || after.token_bound_cidrs.length > 0;
  if (!bound)
    throw badField(
      sentOf(input, ['bind_secret_id', 'secret_id_bound_cidrs', 'bound_cidr_list', 'token_bound_cidrs']),
      'at least one constraint should be enabled on the role',
    );
  return after;
}
