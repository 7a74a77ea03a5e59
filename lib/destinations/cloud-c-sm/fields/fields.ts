import { bool, type Input, text, textList, textMap } from '#path/fields.ts';
import { endpointField, tlsCaCertField } from '../../frame/fields/endpoint.ts';
import { form } from '../../frame/fields/form.ts';
import { own, routing } from '../../frame/fields/own.ts';

/** Request fields of the type (docs/destinations, and the newer names `kms_key_id` and `replica_regions`). */
export const fields = {
  credentials: text().meta({
    ...form('Service account key', 'credentials'),
    description:
      'JSON key of a service account, or @ and the path of a file with it below KEYFERRY_CREDENTIALS_DIR, which the worker reads when needed',
    sensitive: true,
    namesFile: true,
    multiline: true,
  }),
  project_id: text()
    .optional()
    .meta({
      ...form('Project ID', 'target'),
      description: 'Project of the secrets. Default: that of the credentials',
      immutable: true,
    }),
  kms_key_id: text()
    .optional()
    .meta({
      ...form('KMS key', 'objects'),
      description:
        "Resource name of the key (in location global) that encrypts secrets whose locations the provider chooses. Default: the provider's own key for new secrets, no change for existing ones",
    }),
  replica_regions: textMap()
    .optional()
    .meta({
      ...form('Replica regions', 'objects'),
      description:
        'Locations of new secrets, each with the resource name of its key or an empty text; either all have a key or none. Locations cannot be changed later, keys can. Default: the provider chooses',
    }),
  replication_locations: textList()
    .optional()
    .meta({
      ...form('Replication locations (earlier form)', 'objects'),
      description: 'Earlier form of replica_regions: only the locations, which cannot be changed later',
    }),
  locational_kms_keys: textMap()
    .optional()
    .meta({
      ...form('Keys of the locations (earlier form)', 'objects'),
      description: 'Earlier form of replica_regions: for each of replication_locations, the resource name of its key',
    }),
  global_kms_key: text()
    .optional()
    .meta({ ...form('KMS key (earlier name)', 'objects'), description: 'Earlier name of kms_key_id' }),
  destroy_old_versions: bool()
    .default(false)
    .meta({
      ...form('Destroy old versions', 'objects'),
      description: 'Destroy the enabled versions that are older than the one just added. Default: false',
      ...own,
    }),
  endpoint: endpointField('https://secretmanager.googleapis.com').meta(routing),
  tls_ca_cert: tlsCaCertField().meta(routing),
};

export type Connection = Input<typeof fields>;
