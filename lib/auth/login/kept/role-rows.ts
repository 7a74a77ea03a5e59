import { z } from 'zod';
import type { Mount } from '#path/contract/mount.ts';
import type { Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { type Operation, operation, type Row } from '#path/contract/row.ts';
import { atMost } from '#path/fields.ts';
import { listNames, pageFields } from '#path/listing.ts';
import type { Store } from '#store/store.ts';
import type { FormerInput, TokenInput } from '../role/fields.ts';
import { tokenSettingsWarnings } from '../role/settings.ts';
import { changeRole, deleteRole, findRole, roleNames } from './roles.ts';

const nameMax = 512;

/** The name of a role in the path, in lower case. */
export const roleName = z
  .string()
  .max(nameMax, atMost(nameMax, 'characters'))
  .toLowerCase()
  .meta({ description: 'Name of the role', in: 'path' });

const fields = { name: roleName };

interface RoleRowsSpec {
  readonly help: string;
  /** Creates or updates a role, whose name in the path is the field `name`. */
  readonly write: Operation;
  /** A role as clients read it. */
  readonly shown: (settings: object) => object;
}

/** `role/` and `role/:name` of a method whose roles are stored in `auth_roles`. */
export const roleRows = (
  { store }: { readonly store: Store },
  { help, write, shown }: RoleRowsSpec,
): readonly Row[] => [
  {
    pattern: 'role/',
    help: 'Lists roles.',
    operations: {
      list: operation(pageFields, {
        summary: 'List roles',
        run: (page, { mount }) => listNames(page, (part) => roleNames(store, mount.id, part)),
      }),
    },
  },
  {
    pattern: 'role/:name',
    help,
    exists: async ({ name }, { mount }) => (await findRole(store, mount.id, String(name).toLowerCase())) !== undefined,
    operations: {
      read: operation(fields, {
        summary: 'Read a role',
        async run({ name }, { mount }) {
          const settings = await findRole(store, mount.id, name);
          return settings && { data: shown(settings) };
        },
      }),
      write,
      delete: operation(fields, {
        summary: 'Delete a role',
        async run({ name }, { mount }) {
          await deleteRole(store, mount.id, name);
          return undefined;
        },
      }),
    },
  },
];

interface NamedRole extends TokenInput, FormerInput {
  readonly name: string;
}

/**
 * The handler of such a write: creates or updates a role and replies with the warnings about its token settings.
 *
 * @param after makes the role after a request from the stored one; an error refuses the request
 */
export const roleWriter =
  <I extends NamedRole>(
    { store }: { readonly store: Store },
    after: (before: object | undefined, input: I, mount: Mount) => object,
  ) =>
  async (input: I, { mount }: RequestContext): Promise<Reply> => {
    const change = { mountId: mount.id, name: input.name };
    await changeRole(store, change, (before) => after(before, input, mount));
    const warnings = tokenSettingsWarnings(input, mount);
    return warnings.length === 0 ? undefined : { warnings };
  };
