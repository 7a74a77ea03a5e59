import { badField } from '#core/errors.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { pathText, text } from '#path/fields.ts';
import { createToken } from '../create/create.ts';
import { createFields } from '../create/fields.ts';
import type { TokenRole } from '../roles/role.ts';
import { findRole } from '../roles/store.ts';
import type { RowParts } from './given.ts';

const role_name = text()
  .default('')
  .meta({ description: 'Name of a token role; needs write access to auth/token/create/<name>' });

/** `create`, `create-orphan`, `create/:role_name`. */
export const createRows = (parts: RowParts): readonly Row[] => [
  {
    pattern: 'create',
    help: 'Creates a token.',
    operations: {
      write: operation(
        { ...createFields, role_name },
        {
          summary: 'Create a token',
          async run(input, context) {
            const role = input.role_name === '' ? undefined : await mustExist(parts, input.role_name, context);
            // A role in the body needs the same access as one in the path.
            if (role !== undefined) await context.mustBeAllowed('write', `auth/token/create/${role.name}`);
            return createToken(parts, input, context, { role, orphan: false });
          },
        },
      ),
    },
  },
  {
    pattern: 'create-orphan',
    help: 'Creates a token that is not revoked with the caller.',
    operations: {
      write: operation(createFields, {
        summary: 'Create an orphan token',
        run: (input, context) => createToken(parts, input, context, { role: undefined, orphan: true }),
      }),
    },
  },
  {
    pattern: 'create/:role_name',
    help: 'Creates a token against a token role.',
    operations: {
      write: operation(
        { ...createFields, role_name: pathText('Name of the role') },
        {
          summary: 'Create a token against a role',
          run: async (input, context) => {
            const role = await mustExist(parts, input.role_name, context);
            return createToken(parts, input, context, { role, orphan: false });
          },
        },
      ),
    },
  },
];

async function mustExist({ store }: RowParts, name: string, { namespace }: RequestContext): Promise<TokenRole> {
  const role = await findRole(store, namespace.id, name);
  if (role === undefined) throw badField('role_name', `unknown role ${name}`);
  return role;
}
