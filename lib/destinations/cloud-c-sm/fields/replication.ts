// Beyond the usual files: secrets have locations and keys, set by newer and earlier names of fields.
import type { protos } from '@google-cloud/secret-manager';
import type { Connection } from './fields.ts';

export type Replication = protos.google.cloud.secretmanager.v1.IReplication;

/** The locations and keys of a new secret. The locations cannot be changed once it exists. */
export function replicationOf(connection: Connection): Replication {
  const keys = Object.entries(keysOf(connection));
  if (keys.length === 0) return { automatic: encryption(globalKeyOf(connection)) };
  return { userManaged: { replicas: keys.map(([location, key]) => ({ location, ...encryption(key) })) } };
}

/** The same, or undefined when it names no keys. */
export function keyedReplication(connection: Connection): Replication | undefined {
  const keys = Object.values(keysOf(connection));
  const named = keys.length === 0 ? globalKeyOf(connection) !== undefined : keys.some((key) => key !== '');
  return named ? replicationOf(connection) : undefined;
}

/**
 * The replication that an existing secret needs so that its next version is encrypted with the keys of the destination, or undefined
 * when it has it. Locations stay, and so does a key where the destination names none: removing a key that protects a secret would
 * weaken it. `'elsewhere'` when the secret is in locations without a key of the destination.
 */
export function rekeyed(found: Replication | undefined, connection: Connection): Replication | undefined | 'elsewhere' {
  const keys = keysOf(connection);
  const keyed = keyedReplication(connection);
  if (found === undefined || keyed === undefined) return undefined;
  if (found.userManaged != null) return rekeyedReplicas(found.userManaged, keys);
  if (keyed.automatic == null) return 'elsewhere';
  return keyIn(found.automatic) === keyIn(keyed.automatic) ? undefined : keyed;
}

type Keys = Readonly<Record<string, string>>;

function rekeyedReplicas({ replicas }: NonNullable<Replication['userManaged']>, keys: Keys) {
  const present = (replicas ?? []).map((replica) => ({ location: replica.location ?? '', key: keyIn(replica) }));
  if (present.some(({ location }) => (keys[location] ?? '') === '')) return 'elsewhere';
  if (present.every(({ location, key }) => keys[location] === key)) return undefined;
  return { userManaged: { replicas: present.map(({ location }) => ({ location, ...encryption(keys[location]) })) } };
}

type Encrypted = { readonly customerManagedEncryption?: { readonly kmsKeyName?: string | null } | null };

const keyIn = (encrypted: Encrypted | null | undefined): string | undefined =>
  encrypted?.customerManagedEncryption?.kmsKeyName ?? undefined;

const encryption = (kmsKeyName: string | undefined) =>
  kmsKeyName === undefined || kmsKeyName === '' ? {} : { customerManagedEncryption: { kmsKeyName } };

/** Locations with their keys, an empty text for none, from the newer field or the earlier ones. Empty when the provider chooses. */
function keysOf(connection: Connection): Readonly<Record<string, string>> {
  const { replica_regions = {}, replication_locations = [], locational_kms_keys: keys = {} } = connection;
  if (Object.keys(replica_regions).length > 0) return replica_regions;
  return Object.fromEntries(replication_locations.map((location) => [location, keys[location] ?? '']));
}

/** The key for secrets whose locations the provider chooses. */
const globalKeyOf = ({ kms_key_id, global_kms_key }: Connection): string | undefined => kms_key_id ?? global_kms_key;

/** The locations, from the newer or the earlier fields. */
export const locationsOf = (connection: Connection): readonly string[] => Object.keys(keysOf(connection)).sort();
