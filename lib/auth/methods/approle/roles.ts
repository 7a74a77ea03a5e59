import { badField, badRequest } from '#core/errors.ts';
import type { Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { listNames, pageFields } from '#path/listing.ts';
import { shownTokenSettings, tokenSettingsWarnings } from '../../login/role/settings.ts';
import type { TokenParts } from '../../token/parts.ts';
import { formerNames, role_id, role_name, roleFields } from './fields.ts';
import { type Role, type RoleInput, roleAfter } from './role.ts';
import { changeRole, deleteRole, findRole, type RoleKey, roleNames } from './roles-store.ts';

/** The key of the role that a request names. */
export const keyOf = (name: string, { mount }: RequestContext): RoleKey => ({
  mountId: mount.id,
  name: name.toLowerCase(),
});

/** @throws AppError `bad-request` when the role does not exist */
export async function mustFind({ store }: TokenParts, name: string, context: RequestContext): Promise<Role> {
  const role = await findRole(store.db, keyOf(name, context));
  if (role === undefined) throw badRequest(`role ${JSON.stringify(name)} does not exist`);
  return role;
}

/** Updates some settings of a role. `create` is true to create a role that does not exist. */
export async function writeRole(
  { store }: TokenParts,
  input: RoleInput & { readonly role_name: string; readonly role_id?: string | undefined },
  context: RequestContext,
  create: boolean,
): Promise<Reply> {
  if (input.role_id === '') throw badField('role_id', 'invalid role_id supplied, or role_id is empty');
  await changeRole(store, keyOf(input.role_name, context), (before) => {
    if (before === undefined && !create) throw badRequest(`role ${JSON.stringify(input.role_name)} does not exist`);
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
      help: 'Lists roles.',
      operations: {
        list: operation(pageFields, {
          summary: 'List roles',
          run: async (page, { mount }) => listNames(page, (part) => roleNames(parts.store, mount.id, part)),
        }),
      },
    },
    {
      pattern: 'role/:role_name',
      help: 'Manages a role that machines log in to, with the limits of their tokens.',
      exists,
      operations: {
        read: operation(
          { role_name },
          {
            summary: 'Read a role',
            async run(input, context) {
              const role = await findRole(parts.store.db, keyOf(input.role_name, context));
              return role && { data: shownTokenSettings(role.settings, formerNames) };
            },
          },
        ),
        write: operation(roleFields, {
          summary: 'Create or update a role',
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
    { ...roleIdRow(parts), exists },
  ];
};

const roleIdRow = (parts: TokenParts): Row => ({
  pattern: 'role/:role_name/role-id',
  help: 'Shows or sets the id of the role in logins.',
  operations: {
    read: operation(
      { role_name },
      {
        summary: 'Read the role id',
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
          if (!input.role_id) throw badField('role_id', 'missing role_id');
          return writeRole(parts, input, context, false);
        },
      },
    ),
  },
});
