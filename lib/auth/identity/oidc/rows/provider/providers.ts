import type { Transaction } from 'kysely';
import { badField, badRequest } from '#core/errors.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { text, textList } from '#path/fields.ts';
import type { Database } from '#store/tables.ts';
import { nameField, quoted } from '../../fields.ts';
import { checkIssuer, providerIssuerOf } from '../../issuer.ts';
import type { Asked, OidcParts } from '../../parts.ts';
import { type Provider, providers, scopes } from '../../provider/kinds.ts';
import { changeSettings, findSettings, removeSettings, settingsNamed, settingsPage } from '../../provider/resource.ts';
import { resourceRows } from './resource-rows.ts';

const issuerMax = 512;
const scopesMax = 100;

const fields = {
  name: nameField('provider'),
  issuer: text(issuerMax)
    .optional()
    .meta({ description: 'Scheme, host and optional port of the claim iss; default: the address of the service' }),
  allowed_client_ids: textList()
    .optional()
    .meta({ description: 'Ids of the clients that may use the provider; "*" for all' }),
  scopes_supported: textList().optional().meta({ description: 'Scopes that clients can ask for, besides openid' }),
};

/** `oidc/provider/`: issuers for logins of other systems. */
export const providerRows = (parts: OidcParts): readonly Row[] =>
  resourceRows({
    kind: 'provider',
    thing: 'an OpenID Connect provider',
    things: 'OpenID Connect providers',
    help: 'Manages a provider: an issuer for the logins of some clients, with the scopes that they can ask for.',
    write: operation(fields, {
      summary: 'Create or update an OpenID Connect provider',
      async run({ name, ...change }, { namespace }) {
        if (change.issuer !== undefined) checkIssuer(change.issuer);
        await changeSettings(parts.store, providers, { namespaceId: namespace.id, name }, async (tx, before) => {
          const allowed = name === providers.builtIn?.name ? ['*'] : [];
          const scopes_supported = [...new Set(change.scopes_supported ?? before?.scopes_supported ?? [])];
          await mustExist(tx, namespace.id, scopes_supported);
          return {
            issuer: change.issuer ?? before?.issuer ?? '',
            allowed_client_ids: change.allowed_client_ids ?? before?.allowed_client_ids ?? allowed,
            scopes_supported,
          };
        });
        return undefined;
      },
    }),
    async find(at, context) {
      const provider = await findSettings(parts.store, providers, at);
      return provider && shown(parts, context, at.name, provider);
    },
    async remove(at) {
      if (at.name === providers.builtIn?.name)
        throw badRequest(`deletion of OIDC provider ${quoted(at.name)} not allowed`);
      await removeSettings(parts.store, providers, at, undefined);
    },
    entries: async (page, context) =>
      (await settingsPage(parts.store, providers, context.namespace.id, page)).map(({ name, settings }) => ({
        key: name,
        info: shown(parts, context, name, settings),
      })),
  });

const shown = (parts: OidcParts, asked: Asked, name: string, provider: Provider): object => ({
  ...provider,
  issuer: providerIssuerOf(parts, asked, { name, configured: provider.issuer }),
});

async function mustExist(tx: Transaction<Database>, namespaceId: string, names: readonly string[]): Promise<void> {
  if (names.length > scopesMax)
    throw badField('scopes_supported', `scopes_supported may have at most ${scopesMax} entries`);
  const found = await settingsNamed({ db: tx }, scopes, namespaceId, names);
  const missing = names.find((name) => !found.has(name));
  if (missing !== undefined) throw badField('scopes_supported', `scope ${quoted(missing)} does not exist`);
}
