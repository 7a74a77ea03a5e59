import { operation, type Row } from '#path/contract/row.ts';
import { duration, text, textList } from '#path/fields.ts';
import type { Store } from '#store/store.ts';
import { nameField, nameText } from '../../fields.ts';
import { type Client, clientPage, findClient, removeClient, secretOf, writeClient } from '../../provider/clients.ts';
import { resourceRows } from './resource-rows.ts';

const fields = {
  name: nameField('client'),
  key: nameText().optional().meta({ description: 'Key that signs the ID tokens; default: default', immutable: true }),
  redirect_uris: textList().optional().meta({ description: 'Addresses to which logins may return' }),
  assignments: textList().optional().meta({ description: 'Assignments whose entities may log in; allow_all for all' }),
  id_token_ttl: duration().optional().meta({ description: 'How long an ID token is valid; default 24 hours' }),
  access_token_ttl: duration().optional().meta({ description: 'How long an access token is valid; default 24 hours' }),
  client_type: text(16)
    .optional()
    .meta({ description: 'confidential (default), or public for clients that cannot keep a secret', immutable: true }),
};

/** `oidc/client/`: systems at which callers of this service log in. */
export const clientRows = (store: Store): readonly Row[] =>
  resourceRows({
    kind: 'client',
    thing: 'an OpenID Connect client',
    things: 'OpenID Connect clients',
    help: 'Manages a client: a system at which callers of this service log in.',
    write: operation(fields, {
      summary: 'Create or update an OpenID Connect client',
      async run({ name, ...change }, { namespace }) {
        await writeClient(store, { namespaceId: namespace.id, name }, change);
        return undefined;
      },
    }),
    async find(at) {
      const client = await findClient(store, at);
      if (client === undefined) return undefined;
      const secret = secretOf(store.barrier, client);
      return { ...shown(client), ...(secret === undefined ? {} : { client_secret: secret.reveal() }) };
    },
    remove: (at) => removeClient(store, at),
    entries: async (page, { namespace }) =>
      (await clientPage(store, namespace.id, page)).map((client) => ({ key: client.name, info: shown(client) })),
  });

const shown = ({ name: _name, secret: _secret, ...client }: Client): object => client;
