import type { protos } from '@google-cloud/secret-manager';
import type { Connection } from './fields.ts';

type Replication = protos.google.cloud.secretmanager.v1.IReplication;

/** Where a new secret is kept and with which keys. The provider fixes the locations when the secret is created. */
export function replicationOf(connection: Connection): Replication {
  const { replication_locations: locations = [], locational_kms_keys: keys = {}, global_kms_key } = connection;
  if (locations.length === 0) return { automatic: encryption(global_kms_key) };
  return { userManaged: { replicas: locations.map((location) => ({ location, ...encryption(keys[location]) })) } };
}

const encryption = (kmsKeyName: string | undefined) =>
  kmsKeyName === undefined ? {} : { customerManagedEncryption: { kmsKeyName } };
