import { bool, type Input, text, textList, textMap } from '../../path/fields.ts';
import { endpointField, tlsCaCertField } from '../network/endpoint.ts';

/** Request fields of the type (specification, sync document 4.3). */
export const fields = {
  credentials: text().meta({
    description:
      'JSON key of a service account, or @ and the path of a file that holds it, which the worker reads when it needs it',
    sensitive: true,
  }),
  project_id: text()
    .optional()
    .meta({ description: 'Project of the secrets. Default: that of the credentials', immutable: true }),
  replication_locations: textList()
    .optional()
    .meta({ description: 'Locations that new secrets are kept in. Default: the provider chooses', immutable: true }),
  locational_kms_keys: textMap().optional().meta({
    description: 'For each of replication_locations, the resource name of the key that encrypts new secrets there',
  }),
  global_kms_key: text().optional().meta({
    description: 'Resource name of the key that encrypts new secrets where the provider chooses the locations',
  }),
  destroy_old_versions: bool()
    .default(false)
    .meta({ description: 'Destroys the enabled versions that are older than the one just added' }),
  endpoint: endpointField('https://secretmanager.googleapis.com'),
  tls_ca_cert: tlsCaCertField(),
};

export type Connection = Input<typeof fields>;
