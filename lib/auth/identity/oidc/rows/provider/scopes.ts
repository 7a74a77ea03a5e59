import { badField } from '#core/errors.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { text } from '#path/fields.ts';
import type { Store } from '#store/store.ts';
import { nameField, quoted } from '../../fields.ts';
import { openid, providersOf, scopes } from '../../provider/kinds.ts';
import { changeSettings, findSettings, removeSettings, settingsPage } from '../../provider/resource.ts';
import { parseTemplate, plainTemplate, templateTextMax } from '../../template/template.ts';
import { resourceRows } from './resource-rows.ts';

const descriptionMax = 1_024;

const fields = {
  name: nameField('scope'),
  template: text(templateTextMax).optional().meta({
    description: 'Claims as a JSON object with parameters such as {{identity.entity.name}}, or that in base64',
  }),
  description: text(descriptionMax).optional().meta({ description: 'Description' }),
};

/** `oidc/scope/`: claims that clients ask for. */
export const scopeRows = (store: Store): readonly Row[] =>
  resourceRows({
    kind: 'scope',
    thing: 'a scope of OpenID Connect providers',
    things: 'scopes of OpenID Connect providers',
    help: 'Manages a scope: claims that clients can ask for at the providers that support it.',
    write: operation(fields, {
      summary: 'Create or update a scope of OpenID Connect providers',
      async run({ name, template, description }, { namespace }) {
        if (name === openid) throw badField('name', `the ${quoted(openid)} scope name is reserved`);
        const given = template === undefined ? undefined : plainTemplate(template);
        if (given !== undefined) parseTemplate(given);
        await changeSettings(store, scopes, { namespaceId: namespace.id, name }, async (_tx, before) => ({
          template: given ?? before?.template ?? '',
          description: description ?? before?.description ?? '',
        }));
        return undefined;
      },
    }),
    find: (at) => findSettings(store, scopes, at),
    remove: (at) =>
      removeSettings(store, scopes, at, { kind: 'providers', find: (tx) => providersOf(tx, at.namespaceId, at.name) }),
    names: async (namespaceId, page) => (await settingsPage(store, scopes, namespaceId, page)).map(({ name }) => name),
  });
