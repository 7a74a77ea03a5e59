import { badRequest } from '../../../core/errors.ts';
import type { Reply } from '../../../path/contract/reply.ts';
import type { RequestContext } from '../../../path/contract/request.ts';
import { operation, type Row } from '../../../path/contract/row.ts';
import { shownTokenSettings, tokenSettingsWarnings } from '../../login/role/settings.ts';
import type { TokenParts } from '../../token/parts.ts';
import { listed, pageFields } from '../../token/rows/paging.ts';
import { formerNames, role_id, role_name, roleFields } from './fields.ts';
import { type Role, type RoleInput, roleAfter } from './role.ts';
import { changeRole, deleteRole, findRole, type RoleKey, roleNames } from './roles-store.ts';

/** Name and mount of the role that a request is about. */
export const keyOf = (name: string, { mount }: RequestContext): RoleKey => ({
  mountId: mount.id,
  name: name.toLowerCase(),
});

/** @throws AppError `bad-request` when there is no such role */
export async function mustFind({ store }: TokenParts, name: string, context: RequestContext): Promise<Role> {
  const role = await findRole(store.db, keyOf(name, context));
  if (role === undefined) throw badRequest(`role ${JSON.stringify(name)} does not exist`);
  return role;
}

/** Changes some of a role. `make`: a role that is not there comes to be. */
export async function writeRole(
  { store }: TokenParts,
  input: RoleInput & { readonly role_name: string; readonly role_id?: string | undefined },
  context: RequestContext,
  make: boolean,
): Promise<Reply> {
  if (input.role_id === '') throw badRequest('invalid role_id supplied, or role_id is empty');
  await changeRole(store, keyOf(input.role_name, context), (before) => {
    if (before === undefined && !make) throw badRequest(`role ${JSON.stringify(input.role_name)} does not exist`);
    return { settings: roleAfter(before?.settings, input), roleId: input.role_id ?? before?.roleId };
  });
  const warnings = tokenSettingsWarnings(input, context.mount);
  return warnings.length === 0 ? undefined : { warnings };
}

/** `role/`, `role/:role_name` and its `role-id`. */
export const roleRows = (parts: TokenParts): readonly Row[] => {
  const exists: Row['exists'] = async ({ role_name: name }, context) =>
    (await findRole(parts.store.db, keyOf(String(name), context))) !== undefined;
  return [
    {
      pattern: 'role/',
      help: 'Lists the roles.',
      operations: {
        list: operation(pageFields, {
          summary: 'List roles',
          run: async (page, { mount }) =>
            listed(page, (after, limit) => roleNames(parts.store, mount.id, after, limit)),
        }),
      },
    },
    {
      pattern: 'role/:role_name',
      help: 'A role that machines log in to, and what their tokens may be.',
      exists,
      operations: {
        read: operation(
          { role_name },
          {
            summary: 'Show a role',
            async run(input, context) {
              const role = await findRole(parts.store.db, keyOf(input.role_name, context));
              return role && { data: shownTokenSettings(role.settings, formerNames) };
            },
          },
        ),
        write: operation(roleFields, {
          summary: 'Create or change a role',
          run: (input, context) => writeRole(parts, input, context, true),
        }),
        delete: operation(
          { role_name },
          {
            summary: 'Delete a role with its secret ids',
            async run(input, context) {
              await deleteRole(parts.store, keyOf(input.role_name, context), context.signal);
              return undefined;
            },
          },
        ),
      },
    },
    {
      pattern: 'role/:role_name/role-id',
      help: 'What a login names the role by.',
      exists,
      operations: {
        read: operation(
          { role_name },
          {
            summary: 'Show the role id',
            async run(input, context) {
              const role = await findRole(parts.store.db, keyOf(input.role_name, context));
              return role && { data: { role_id: role.roleId } };
            },
          },
        ),
        write: operation(
          { role_name, role_id },
          {
            summary: 'Set the role id',
            run(input, context) {
              if (!input.role_id) throw badRequest('missing role_id');
              return writeRole(parts, input, context, false);
            },
          },
        ),
      },
    },
  ];
};
