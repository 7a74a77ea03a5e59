import { bool, type Input, text } from '#path/fields.ts';
import { endpointField, tlsCaCertField } from '../../frame/fields/endpoint.ts';
import { form } from '../../frame/fields/form.ts';
import { own, routing } from '../../frame/fields/own.ts';
import { cloudNames } from './clouds.ts';

/** Request fields of the type (docs/destinations). */
export const fields = {
  key_vault_uri: text().meta({
    ...form('Key vault URI', 'target'),
    description: 'URI of the vault, such as https://my-vault.vault.azure.net',
    immutable: true,
    routes: true,
  }),
  tenant_id: text().meta({
    ...form('Tenant ID', 'credentials'),
    description: 'Directory (tenant) of the app registration',
    immutable: true,
  }),
  client_id: text().meta({
    ...form('Client ID', 'credentials'),
    description: 'Application (client) id of the app registration',
  }),
  client_secret: text().meta({
    ...form('Client secret', 'credentials'),
    description: 'A client secret of the app registration',
    sensitive: true,
  }),
  cloud: text()
    .default('cloud')
    .meta({
      ...form('Cloud', 'target'),
      description: `Cloud of the vault: ${cloudNames}. Default: cloud, the public one`,
      immutable: true,
      routes: true,
    }),
  purge_on_delete: bool()
    .default(false)
    .meta({
      ...form('Purge on delete', 'objects'),
      description:
        'Purge removed secrets, so that they cannot be recovered. By default they stay recoverable for as long as the vault keeps them, and are recovered when they are needed again',
      ...own,
    }),
  authority_host: text()
    .optional()
    .meta({
      ...form('Authority host', 'addresses'),
      description: 'Base URL (https) of the login service. Default: that of the cloud',
      ...routing,
    }),
  endpoint: endpointField('key_vault_uri').meta(routing),
  tls_ca_cert: tlsCaCertField().meta(routing),
};

export type Connection = Input<typeof fields>;
