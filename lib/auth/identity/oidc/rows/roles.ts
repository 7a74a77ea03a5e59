import { operation, type Row } from '#path/contract/row.ts';
import { duration, text } from '#path/fields.ts';
import { listNames, pageFields } from '#path/listing.ts';
import type { Store } from '#store/store.ts';
import { nameField, nameText } from '../fields.ts';
import { findRole, removeRole, roleNames, writeRole } from '../roles/roles.ts';
import { templateTextMax } from '../template/template.ts';

const name = { name: nameField('role') };

const fields = {
  ...name,
  key: nameText().optional().meta({ description: 'Name of the key that signs the tokens; required for a new role' }),
  template: text(templateTextMax).optional().meta({
    description: 'Claims as a JSON object with parameters such as {{identity.entity.name}}, or that in base64',
  }),
  client_id: nameText().optional().meta({ description: 'Audience of the tokens; default: a random id' }),
  ttl: duration().optional().meta({ description: 'How long a token is valid; default 24 hours' }),
};

/** `oidc/role/`: what identity tokens are made of. */
export const roleRows = (store: Store): readonly Row[] => [
  {
    pattern: 'oidc/role/',
    help: 'Lists the roles of identity tokens.',
    operations: {
      list: operation(pageFields, {
        summary: 'List the roles of identity tokens',
        run: (page, { namespace }) => listNames(page, (part) => roleNames(store, namespace.id, part)),
      }),
    },
  },
  {
    pattern: 'oidc/role/:name',
    help: 'Manages a role of identity tokens: the key that signs them, their claims, their audience and how long they are valid.',
    exists: async (input, { namespace }) =>
      (await findRole(store, { namespaceId: namespace.id, name: String(input['name']) })) !== undefined,
    operations: {
      read: operation(name, {
        summary: 'Read a role of identity tokens',
        async run(input, { namespace }) {
          const role = await findRole(store, { namespaceId: namespace.id, name: input.name });
          return role && { data: role };
        },
      }),
      write: operation(fields, {
        summary: 'Create or update a role of identity tokens',
        async run({ name: given, key, template, client_id, ttl }, { namespace }) {
          await writeRole(store, { namespaceId: namespace.id, name: given }, { key, template, client_id, ttl });
          return undefined;
        },
      }),
      delete: operation(name, {
        summary: 'Delete a role of identity tokens',
        async run(input, { namespace }) {
          await removeRole(store, { namespaceId: namespace.id, name: input.name });
          return undefined;
        },
      }),
    },
  },
];
