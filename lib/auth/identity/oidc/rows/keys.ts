import { operation, type Row } from '#path/contract/row.ts';
import { duration, text, textList } from '#path/fields.ts';
import { listNames, pageFields } from '#path/listing.ts';
import type { Store } from '#store/store.ts';
import { nameField } from '../fields.ts';
import { findKey, keyNames } from '../keys/read.ts';
import { removeKey, rotateNow, writeKey } from '../keys/write.ts';

const name = { name: nameField('key') };

const fields = {
  ...name,
  algorithm: text(16).optional().meta({
    description: 'Signature algorithm: RS256 (default), RS384, RS512, ES256, ES384, ES512 or EdDSA',
  }),
  rotation_period: duration()
    .optional()
    .meta({ description: 'How often a new key pair takes over; at least one minute, default 24 hours' }),
  verification_ttl: duration().optional().meta({
    description: 'How long a public key is published after its last use; at most 10 rotation periods, default 24 hours',
  }),
  allowed_client_ids: textList()
    .optional()
    .meta({ description: 'Client ids of the roles that may sign with the key; "*" for all' }),
};

/** `oidc/key/`: named keys that sign identity tokens. */
export const keyRows = (store: Store): readonly Row[] => [
  {
    pattern: 'oidc/key/',
    help: 'Lists the keys that sign identity tokens.',
    operations: {
      list: operation(pageFields, {
        summary: 'List the keys of identity tokens',
        run: (page, { namespace }) => listNames(page, (part) => keyNames(store, namespace.id, part)),
      }),
    },
  },
  keyRow(store),
  rotateRow(store),
];

const keyRow = (store: Store): Row => ({
  pattern: 'oidc/key/:name',
  help: 'Manages a key that signs identity tokens. Its key pairs are rotated, and retired public keys stay published for a time.',
  exists: async (input, { namespace }) =>
    (await findKey(store, { namespaceId: namespace.id, name: String(input['name']) })) !== undefined,
  operations: {
    read: operation(name, {
      summary: 'Read a key of identity tokens',
      async run(input, { namespace }) {
        const key = await findKey(store, { namespaceId: namespace.id, name: input.name });
        return key && { data: key };
      },
    }),
    write: operation(fields, {
      summary: 'Create or update a key of identity tokens',
      async run({ name: given, ...change }, { namespace }) {
        await writeKey(store, { namespaceId: namespace.id, name: given }, change);
        return undefined;
      },
    }),
    delete: operation(name, {
      summary: 'Delete a key of identity tokens',
      async run(input, { namespace }) {
        await removeKey(store, { namespaceId: namespace.id, name: input.name });
        return undefined;
      },
    }),
  },
});

const rotateFields = {
  ...name,
  verification_ttl: duration().optional().meta({
    description: 'How long the public key that is rotated out is published; default: the time of the key',
  }),
};

const rotateRow = (store: Store): Row => ({
  pattern: 'oidc/key/:name/rotate',
  help: 'Rotates a key now, apart from its rotation period.',
  operations: {
    write: operation(rotateFields, {
      summary: 'Rotate a key of identity tokens',
      async run({ name: given, verification_ttl }, { namespace }) {
        await rotateNow(store, { namespaceId: namespace.id, name: given }, verification_ttl);
        return undefined;
      },
    }),
  },
});
