import { operation, type Row } from '../../../path/contract/row.ts';
import { pathText } from '../../../path/fields.ts';
import { effectiveLeases } from '../../../path/lease-times.ts';
import { shownCidr } from '../find/bound.ts';
import type { TokenParts } from '../parts.ts';
import { listed, pageFields } from '../rows/paging.ts';
import { roleFields } from './fields.ts';
import type { TokenRole } from './role.ts';
import { changeRole, deleteRole, findRole, roleNames } from './store.ts';
import { roleAfter, roleWarnings } from './write.ts';

const role_name = pathText('Name of the role');

/** `roles` and `roles/:role_name` of the token method. */
export const roleRows = (parts: TokenParts): readonly Row[] => [
  {
    pattern: 'roles/',
    help: 'Lists the token roles.',
    operations: {
      list: operation(pageFields, {
        summary: 'List token roles',
        run: async (page, { namespace }) =>
          listed(page, (after, limit) => roleNames(parts.store, namespace.id, after, limit)),
      }),
    },
  },
  {
    pattern: 'roles/:role_name',
    help: 'What tokens may be that are created against this role.',
    exists: async ({ role_name: name }, { namespace }) =>
      (await findRole(parts.store, namespace.id, String(name))) !== undefined,
    operations: {
      read: operation(
        { role_name },
        {
          summary: 'Show a token role',
          run: async (input, { namespace }) => shown(await findRole(parts.store, namespace.id, input.role_name)),
        },
      ),
      write: operation(roleFields, {
        summary: 'Create or change a token role',
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

/** Both names of what has two, as clients read either. */
function shown(role: TokenRole | undefined) {
  if (role === undefined) return undefined;
  const { bound_cidrs: kept, explicit_max_ttl, no_default_policy, num_uses, period, ...others } = role;
  const bound_cidrs = kept.map(shownCidr);
  return {
    data: {
      ...others,
      ...{ explicit_max_ttl, token_explicit_max_ttl: explicit_max_ttl, period, token_period: period },
      token_no_default_policy: no_default_policy,
      ...(bound_cidrs.length > 0 ? { bound_cidrs, token_bound_cidrs: bound_cidrs } : {}),
      ...(num_uses > 0 ? { token_num_uses: num_uses } : {}),
    },
  };
}
