import { bool, type Input, text, textList, textMap } from '../../path/fields.ts';
import { endpointField, tlsCaCertField } from '../frame/fields/endpoint.ts';
import { own, routing } from '../frame/fields/own.ts';

/** Request fields of the type (docs/destinations, and the newer names `kms_key_id` and `replica_regions`). */
export const fields = {
  credentials: text().meta({
    description:
      'JSON key of a service account, or @ and the path of a file that holds it, below KEYFERRY_CREDENTIALS_DIR, which the worker reads when it needs it',
    sensitive: true,
    namesFile: true,
  }),
  project_id: text()
    .optional()
    .meta({ description: 'Project of the secrets. Default: that of the credentials', immutable: true }),
  kms_key_id: text().optional().meta({
    description:
      'Resource name of the key (of location global) that encrypts the secrets where the provider chooses their locations. Not given: the own of the provider for new ones, no change for others',
  }),
  replica_regions: textMap().optional().meta({
    description:
      'Locations that new secrets are kept in, each with the resource name of its key or nothing; all have a key, or none. The locations are fixed, the keys are not. Not given: the provider chooses',
  }),
  replication_locations: textList()
    .optional()
    .meta({ description: 'Earlier form of replica_regions: the locations alone. Fixed, as they are' }),
  locational_kms_keys: textMap().optional().meta({
    description: 'Earlier form of replica_regions: for each of replication_locations, the resource name of its key',
  }),
  global_kms_key: text().optional().meta({ description: 'Earlier name of kms_key_id' }),
  destroy_old_versions: bool()
    .default(false)
    .meta({ description: 'Destroys the enabled versions that are older than the one just added. Default: no', ...own }),
  endpoint: endpointField('https://secretmanager.googleapis.com').meta(routing),
  tls_ca_cert: tlsCaCertField().meta(routing),
};

export type Connection = Input<typeof fields>;
