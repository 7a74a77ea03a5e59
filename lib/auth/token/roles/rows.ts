import { effectiveLeases } from '#path/contract/mount.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { pathText } from '#path/fields.ts';
import { listNames, pageFields } from '#path/listing.ts';
import { shownCidr } from '../../cidr.ts';
import type { TokenParts } from '../parts.ts';
import { roleFields } from './fields.ts';
import type { TokenRole } from './role.ts';
import { changeRole, deleteRole, findRole, roleNames } from './store.ts';
import { roleAfter, roleWarnings } from './write.ts';

const role_name = pathText('Name of the role');

/** `roles` and `roles/:role_name` of the token method. */
export const roleRows = (parts: TokenParts): readonly Row[] => [
  {
    pattern: 'roles/',
    help: 'Lists token roles.',
    operations: {
      list: operation(pageFields, {
        summary: 'List token roles',
        run: async (page, { namespace }) => listNames(page, (part) => roleNames(parts.store, namespace.id, part)),
      }),
    },
  },
  {
    pattern: 'roles/:role_name',
    help: 'Manages a token role, which limits the tokens that are created against it.',
    exists: async ({ role_name: name }, { namespace }) =>
      (await findRole(parts.store, namespace.id, String(name))) !== undefined,
    operations: {
      read: operation(
        { role_name },
        {
          summary: 'Read a token role',
          run: async (input, { namespace }) => shown(await findRole(parts.store, namespace.id, input.role_name)),
        },
      ),
      write: operation(roleFields, {
        summary: 'Create or update a token role',
        async run(input, { mount, namespace }) {
          await changeRole(parts.store, namespace.id, input.role_name, (before) => roleAfter(before, input));
          const warnings = roleWarnings(input, effectiveLeases(mount.config));
          return warnings.length === 0 ? undefined : { warnings };
        },
      }),
      delete: operation(
        { role_name },
        {
          summary: 'Delete a token role',
          async run(input, { namespace }) {
            await deleteRole(parts.store, namespace.id, input.role_name);
            return undefined;
          },
        },
      ),
    },
  },
];

/** Fields with two names appear under both, since clients read either. */
function shown(role: TokenRole | undefined) {
  if (role === undefined) return undefined;
  const { bound_cidrs: stored, explicit_max_ttl, no_default_policy, num_uses, period, ...others } = role;
  const bound_cidrs = stored.map(shownCidr);
  return {
    data: {
      ...others,
      explicit_max_ttl,
      token_explicit_max_ttl: explicit_max_ttl,
      period,
      token_period: period,
      token_no_default_policy: no_default_policy,
      ...(bound_cidrs.length > 0 ? { bound_cidrs, token_bound_cidrs: bound_cidrs } : {}),
      ...(num_uses > 0 ? { token_num_uses: num_uses } : {}),
    },
  };
}
